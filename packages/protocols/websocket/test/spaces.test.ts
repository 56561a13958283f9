import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { addSpaces } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { io } from 'socket.io-client';
import { Client, startHost } from './support.js';

const greet = (text: string): Json => ({
  id: 'greet',
  path: '/chat',
  on_connect: { send: text },
  on_message: [{ match: '*', respond: `${text} {{request.body}}` }],
});

/** What a client is greeted with. */
async function greeting(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  return (await Client.connect(url, [], { headers })).next();
}

describe('a handshake that names a space', () => {
  it('by header, baggage or host is answered there, and stays there', async () => {
    const running = await startHost([greet('main')]);
    const { t1, t2 } = await addSpaces(running);
    t1.mocks.replace('greet', greet('one'));
    t2.mocks.replace('greet', greet('two'));
    const url = `${running.url}/chat`;
    expect(await greeting(url)).toBe('main');
    expect(await greeting(url, { 'Backlot-Space': 't1' })).toBe('one');
    expect(await greeting(url, { baggage: 'a=b,backlot.space=t2' })).toBe('two');
    expect(await greeting(url, { host: 't2.localhost' })).toBe('two');
    expect(await greeting(url, { host: 't3.localhost' })).toBe('main');
    const client = await Client.connect(url, [], { headers: { 'Backlot-Space': 't1' } });
    expect([await client.next(), await client.ask('x')]).toEqual(['one', 'one x']);
    expect([running.kind, t1, t2].map(({ connections }) => connections.list().length)).toEqual([2, 2, 2]);
    expect(running.host.journal.list().length).toBe(2);
    const closed = client.next();
    await running.host.spaces.remove('t1');
    expect(await closed).toMatch(/^close 1001/);
  });

  it('that is not there is refused with 404', async () => {
    const running = await startHost([greet('main')]);
    await addSpaces(running);
    await running.host.spaces.remove('t1');
    for (const [space = '', why] of [
      ['t1', 'the space "t1" is gone: it was deleted'],
      ['t3', 'there is no space "t3"'],
    ]) {
      const headers = { 'Backlot-Space': space };
      await expect(Client.connect(`${running.url}/chat`, [], { headers })).rejects.toThrow(
        'Unexpected server response: 404',
      );
      const asked = request({
        ...{ host: '127.0.0.1', port: running.port, path: '/chat' },
        headers: { ...headers, connection: 'upgrade', upgrade: 'websocket' },
      });
      const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage];
      const body = (await answer.setEncoding('utf8').toArray()).join('');
      expect(JSON.parse(body)).toEqual({ error: expect.stringContaining(why ?? '') });
    }
    expect(running.host.journal.list()).toEqual([]);
  });

  it('is followed through the polling of socket.io', async () => {
    const hello = (text: string): Json => ({
      id: 'io',
      dialect: 'socket.io',
      on_connect: { send: [{ event: 'hello', args: [text] }] },
    });
    const running = await startHost([hello('main')]);
    const { t1 } = await addSpaces(running);
    t1.mocks.replace('io', hello('one'));
    const ask = async (extraHeaders: Record<string, string>): Promise<string> => {
      const socket = io(running.url.replace('ws', 'http'), {
        transports: ['polling'],
        extraHeaders,
        forceNew: true,
      });
      const text = await new Promise<string>((resolve) => void socket.once('hello', resolve));
      const closed = new Promise((resolve) => socket.io.engine.once('close', resolve));
      socket.close();
      await closed;
      return text;
    };
    expect(await ask({})).toBe('main');
    expect(await ask({ 'Backlot-Space': 't1' })).toBe('one');
  });
});
