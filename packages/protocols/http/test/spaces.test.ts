import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, type Host } from '@backlot/core';
import { http } from '../src/index.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(): Promise<{ host: Host; port: number }> {
  host = await createHost({
    protocols: [http],
    settings: {
      http: {
        host: '127.0.0.1',
        mocks: [
          { id: 'a', request: { method: 'POST', path: '/a' }, response: { body: 'file {{request.body}}' } },
        ],
      },
    },
  });
  await host.start();
  await host.spaces.create({ id: 't1' });
  host.spaces
    .get('t1')
    .host.kind(http)
    .mocks.create({ request: { path: '/own' }, response: { body: 'mine' } });
  return { host, port: host.kind(http).address?.port ?? 0 };
}

/** Status and body of a request. */
async function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<[number, string]> {
  const asked = request({
    port,
    path,
    host: '127.0.0.1',
    headers,
    method: body === undefined ? 'GET' : 'POST',
  });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks = await answer.setEncoding('utf8').toArray();
  return [answer.statusCode ?? 0, chunks.join('')];
}

describe('a request that names a space', () => {
  it('by header, baggage or host is answered there', async () => {
    const { host, port } = await start();
    for (const headers of [
      { 'Backlot-Space': 't1' },
      { baggage: 'user=1,backlot.space=t1;ttl=2, x=y' },
      { host: `t1.localhost:${port}` },
      { host: 'T1.localhost' },
      { 'backlot-space': 't1', baggage: 'backlot.space=nothing' },
    ])
      expect([headers, await ask(port, '/own', headers)]).toEqual([headers, [200, 'mine']]);
    expect(await ask(port, '/a', { 'backlot-space': 't1' }, 'sent')).toEqual([200, 'file sent']);
    expect((await ask(port, '/own'))[0]).toBe(404);
    expect((await ask(port, '/own', { host: 'other.localhost' }))[0]).toBe(404);
    expect(host.journal.count().count).toBe(2);
    expect(host.spaces.get('t1').host.journal.count().count).toBe(6);
  });

  it('by HTTP/2 as well', async () => {
    const { port } = await start();
    const session = connect(`http://127.0.0.1:${port}`);
    const answers = await Promise.all(
      ['t1', 't9', undefined].map(async (space) => {
        const stream = session.request({
          ':path': '/own',
          ...(space === undefined ? {} : { 'backlot-space': space }),
        });
        const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
        stream.resume();
        return headers[':status'];
      }),
    );
    session.close();
    expect(answers).toEqual([200, 404, 404]);
  });

  it('that is not there is an error, and says how it ended', async () => {
    const { host, port } = await start();
    await host.spaces.remove('t1');
    for (const headers of [{ 'backlot-space': 't1' }, { baggage: 'backlot.space=t1' }]) {
      const [status, body] = await ask(port, '/a', headers, 'x');
      expect(status).toBe(404);
      expect(JSON.parse(body)).toEqual({
        error: expect.stringContaining('the space "t1" is gone: it was deleted'),
      });
    }
    expect(await ask(port, '/a', { host: 't1.localhost' }, 'x')).toEqual([200, 'file x']);
    expect(host.journal.count().count).toBe(1);
  });
});
