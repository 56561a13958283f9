import { describe, expect, it } from '@jest/globals';
import { addSpaces } from '@backlot/conformance';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect2, connect3, RawClient, startHost } from './support.js';

describe('a login that names a space', () => {
  it('has the subscriptions, streams and mocks of the space', async () => {
    const running = await startHost({ jetstream: true }, [
      { id: 'a', subject: 'ask', response: { payload: 'main' } },
    ]);
    const { t1, main } = await addSpaces(running);
    t1.mocks.replace('a', { subject: 'ask', response: { payload: 'one' } });
    const clients = [
      await connect3(running.port, { user: 'ann', pass: 'x' }),
      await connect3(running.port, { user: 't1', pass: 'x' }),
      await connect2(running.port, { user: 't2+ann', pass: 'x' }),
    ];
    const heard: string[][] = [];
    for (const [index, client] of clients.entries()) {
      const list: string[] = [];
      heard.push(list);
      client.subscribe('news', { callback: (_error, message) => void list.push(message.string()) });
      client.publish('news', String(index));
    }
    const [, one] = clients;
    const answers = await Promise.all(clients.map(async (client) => (await client.request('ask')).string()));
    expect(answers).toEqual(['main', 'one', 'main']);
    expect(heard).toEqual([['0'], ['1'], ['2']]);
    const manager = await jetstreamManager(one as never);
    await manager.streams.add({ name: 'ORDERS', subjects: ['orders.*'] });
    expect([main, t1].map((kind) => kind.data.size('streams'))).toEqual([0, 1]);
    expect(t1.connections.list()).toMatchObject([{ user: 't1' }]);
    const closed = one?.closed();
    await running.host.spaces.remove('t1');
    await clients[0]?.flush();
    void closed;
  });

  it('needs the password of its user, and takes what was sent behind it', async () => {
    const running = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    const { t1 } = await addSpaces(running);
    await expect(connect3(running.port, { user: 't1+ann', pass: 'wrong' })).rejects.toThrow('Authorization');
    const raw = await RawClient.connect(running.port);
    raw.send(
      'CONNECT {"user":"t1+ann","pass":"secret","verbose":false}\r\nSUB a 1\r\nPUB a 1\r\nx\r\nPING\r\n',
    );
    await raw.until(() => raw.text.includes('PONG'));
    expect(raw.text).toBe('MSG a 1 1\r\nx\r\nPONG\r\n');
    expect(t1.captures?.values()).toMatchObject([{ subject: 'a', payload: 'x' }]);
  });
});
