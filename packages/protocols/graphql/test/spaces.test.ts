import { afterEach, describe, expect, it } from '@jest/globals';
import { addSpaces } from '@backlot/conformance';
import { Client, fetchExchange } from '@urql/core';
import { createClient, type Client as SocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startGraphql, stopAll, type GraphqlHost } from './support/graphql-host.js';

const clients: SocketClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  await stopAll();
});

const own = (name: string): object[] => [
  { id: 'who', operation_name: 'Who', response: { who: name } },
  {
    id: 'ticks',
    operation_type: 'subscription',
    operation_name: 'Ticks',
    stream: [{ json: { data: { tick: name } } }],
  },
];

/** A host whose spaces answer otherwise than the main world. */
async function start(): Promise<GraphqlHost & Awaited<ReturnType<typeof addSpaces>>> {
  const started = await startGraphql(own('main'));
  const spaces = await addSpaces({ host: started.host, kind: started.host.kind('graphql') });
  for (const [name, kind] of [
    ['one', spaces.t1],
    ['two', spaces.t2],
  ] as const)
    for (const mock of own(name)) kind.mocks.replace((mock as { id: string }).id, mock);
  return { ...started, ...spaces };
}

/** What urql is answered. */
async function ask(url: string, headers: Record<string, string>): Promise<unknown> {
  const client = new Client({
    url,
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetchOptions: { headers },
  });
  const { data, error } = await client.query('query Who { who }', {}).toPromise();
  return (data as { who: string } | undefined)?.who ?? error?.message;
}

/** What a subscription over a WebSocket gives first. */
async function tick(url: string, headers: Record<string, string>): Promise<unknown> {
  class WithHeaders extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers });
    }
  }
  const client = createClient({ url, webSocketImpl: WithHeaders });
  clients.push(client);
  const { value } = await client.iterate({ query: 'subscription Ticks { tick }' }).next();
  return (value as { data: { tick: string } }).data.tick;
}

describe('a request that names a space', () => {
  it('is answered there, over HTTP and WebSocket', async () => {
    const { url, socketUrl, host } = await start();
    for (const [headers, name] of [
      [{}, 'main'],
      [{ 'Backlot-Space': 't1' }, 'one'],
      [{ baggage: 'backlot.space=t2' }, 'two'],
    ] as const) {
      expect(await ask(url, headers)).toBe(name);
      expect(await tick(socketUrl, headers)).toBe(name);
    }
    expect(await tick(socketUrl, { host: 't2.localhost' })).toBe('two');
    expect(await tick(socketUrl, { host: 't3.localhost' })).toBe('main');
    expect(host.journal.list().map(({ path }) => path)).toHaveLength(3);
    await host.spaces.remove('t1');
    expect(await ask(url, { 'Backlot-Space': 't1' })).toContain('the space "t1" is gone: it was deleted');
    const gone = await fetch(url, { method: 'POST', headers: { 'Backlot-Space': 't1' }, body: '{}' });
    expect([gone.status, await gone.json()]).toEqual([
      404,
      { errors: [{ message: expect.stringContaining('the space "t1" is gone: it was deleted') }] },
    ]);
  });
});
