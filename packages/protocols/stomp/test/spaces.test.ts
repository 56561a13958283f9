import { describe, expect, it } from '@jest/globals';
import { addSpaces, eventually } from '@backlot/conformance';
import { connectStompjs, WAYS } from './stompjs.js';
import { startHost } from './support.js';

describe.each(WAYS)('a host of CONNECT that names a space, over %s', (_name, config) => {
  it('has the queues and mocks of the space', async () => {
    const running = await startHost({
      mocks: [{ id: 'a', destination: '/queue/ask', response: { body: 'main' } }],
    });
    const { t1, t2, main } = await addSpaces(running);
    t1.mocks.replace('a', { destination: '/queue/ask', response: { body: 'one' } });
    const heard: string[][] = [];
    for (const host of ['localhost', 't1', 't2']) {
      const list: string[] = [];
      heard.push(list);
      const client = await connectStompjs({
        ...config(running.port),
        connectHeaders: { host },
        reconnectDelay: 0,
      });
      for (const destination of ['/topic/news', '/temp-queue/me', '/queue/work'])
        client.subscribe(destination, ({ body }) => void list.push(body));
      client.publish({ destination: '/topic/news', body: host });
      client.publish({ destination: '/queue/work', body: 'job' });
      client.publish({ destination: '/queue/ask', body: 'x', headers: { 'reply-to': '/temp-queue/me' } });
    }
    await eventually(() => heard.every((list) => list.length === 3));
    expect(heard.map((list) => [...list].sort())).toEqual([
      ['job', 'localhost', 'main'],
      ['job', 'one', 't1'],
      ['job', 'main', 't2'],
    ]);
    expect([main, t1, t2].map((kind) => kind.captures?.values().length)).toEqual([3, 3, 3]);
    expect([main, t1, t2].map((kind) => kind.connections.list().length)).toEqual([1, 1, 1]);
    await running.host.spaces.remove('t1');
    const late = await connectStompjs({ ...config(running.port), connectHeaders: { host: 't1' } });
    expect(main.connections.list()).toHaveLength(2);
    await late.deactivate();
  });
});

describe('the login', () => {
  it('is checked in the space, with its faults', async () => {
    const running = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    const { t1 } = await addSpaces(running);
    const [, [, config]] = WAYS as [unknown, [string, (port: number) => object]];
    const open = (host: string, passcode: string): Promise<unknown> =>
      connectStompjs({
        ...config(running.port),
        connectHeaders: { host, login: 'ann', passcode },
        reconnectDelay: 0,
      });
    await expect(open('t1', 'wrong')).rejects.toThrow('login refused');
    await open('t1', 'secret');
    t1.fault?.set({ phase: 'login', message: 'not now' });
    await expect(open('t1', 'secret')).rejects.toThrow('not now');
    await open('t2', 'secret');
  });
});
