import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from '@jest/globals';
import { addSpaces } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { ACME } from './support/acme.js';
import { describeUsers } from './support/connect.js';
import { get, readAll, startHost } from './support/grpc-host.js';
import * as grpcJs from '@grpc/grpc-js';

type Get = (request: object, options: { headers: Record<string, string> }) => Promise<{ name: string }>;

const own = (name: string): Json => ({ id: 'get', method: 'Get', response: { name } });
const watch = { method: 'Watch', stream: [{ response: { name: 'a' } }, { response: { name: 'b' } }] };

describe('a call that names a space', () => {
  it('by metadata, baggage or authority is answered there', async () => {
    const running = await startHost({ mocks: [own('main'), watch] });
    const { t1, t2 } = await addSpaces(running);
    t1.mocks.replace('get', own('one'));
    t2.mocks.replace('get', own('two'));
    const { users } = running;
    const name = async (metadata: Record<string, string>): Promise<unknown> =>
      (await get(users, {}, {}, metadata)).value?.['name'];
    expect(await name({})).toBe('main');
    expect(await name({ 'backlot-space': 't1' })).toBe('one');
    expect(await name({ baggage: 'x=y,backlot.space=t2' })).toBe('two');
    const metadata = new grpcJs.Metadata();
    metadata.set('backlot-space', 't2');
    expect((await readAll(users.Watch({}, metadata))).length).toBe(3);
    expect(running.host.journal.list()).toHaveLength(1);
    const deadline = await get(users, {}, { deadline: Date.now() + 60_000 }, { 'backlot-space': 't1' });
    expect(deadline.code).toBe('OK');
    await running.host.spaces.remove('t1');
    expect(await get(users, {}, {}, { 'backlot-space': 't1' })).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('the space "t1" is gone: it was deleted'),
    });
    expect(await name({})).toBe('main');
  });

  it.each(['1.1', '2'] as const)(
    'is answered there by Connect and gRPC-Web over HTTP/%s',
    async (httpVersion) => {
      const running = await startHost({ mocks: [own('main')] });
      const { t1 } = await addSpaces(running);
      t1.mocks.replace('get', own('one'));
      const service = await describeUsers(ACME);
      const options = { baseUrl: `http://127.0.0.1:${running.port}`, httpVersion };
      for (const transport of [createConnectTransport(options), createGrpcWebTransport(options)]) {
        const client = createClient(service, transport) as unknown as Record<string, Get>;
        const name = async (headers: Record<string, string>): Promise<unknown> =>
          (await client['get']?.({}, { headers }))?.name;
        expect(await name({})).toBe('main');
        expect(await name({ 'Backlot-Space': 't1' })).toBe('one');
        expect(await name({ baggage: 'backlot.space=t1' })).toBe('one');
        await expect(name({ 'Backlot-Space': 't9' })).rejects.toThrow('[not_found] there is no space "t9"');
      }
    },
  );
});
