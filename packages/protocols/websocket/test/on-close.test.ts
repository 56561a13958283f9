import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { RespondContext, RespondRequest } from '@backlot/core';
import { Client, startHost } from './support.js';

const ROOM = { id: 'room', path: '/room/{name}', on_connect: { send: 'welcome' } };

async function leave(client: Client, code?: number, reason?: string): Promise<void> {
  const closed = once(client.socket, 'close');
  client.socket.close(code, reason);
  await closed;
}

describe('a mock for the end of connections', () => {
  it('does what it does when a client has left, with the code and the reason', async () => {
    const { url, host, logged } = await startHost([
      ROOM,
      {
        id: 'left',
        path: '/room/{name}',
        on_close: {},
        set_state: { '{{request.params.name}}': '{{request.code}} {{request.body}}' },
      },
    ]);
    const client = await Client.connect(`${url}/room/blue`);
    await leave(client, 4001, 'bored');
    await eventually(() => host.state.all()['blue'] !== undefined);
    expect(host.state.all()['blue']).toBe('4001 bored');
    expect(logged('CLOSE')).toMatchObject([{ matched_id: 'left', status: 4001, body: 'bored' }]);
  });

  it('is for one code alone where it names one, such as that of a lost connection', async () => {
    const { url, host } = await startHost([
      ROOM,
      { path: '/room/*', on_close: { code: 1006 }, set_state: { lost: 'yes' } },
      { path: '/room/*', on_close: {}, set_state: { left: 'yes' } },
    ]);
    await leave(await Client.connect(`${url}/room/a`));
    await eventually(() => host.state.all()['left'] !== undefined);
    expect(host.state.all()).toEqual({ left: 'yes' });
    (await Client.connect(`${url}/room/b`)).socket.terminate();
    await eventually(() => host.state.all()['lost'] !== undefined);
  });

  it('calls its function, which tells those that are still there', async () => {
    const respond = async ({ stream }: RespondRequest, context: RespondContext): Promise<void> => {
      await Promise.resolve();
      const open = context.streams('websocket/room');
      context.push('websocket/room', `${open.length} left, gone: ${String(!open.includes(String(stream)))}`);
    };
    const { url } = await startHost([ROOM, { path: '/room/*', on_close: {}, respond }]);
    const [stays, goes] = [await Client.connect(`${url}/room/a`), await Client.connect(`${url}/room/a`)];
    expect(await stays.next()).toBe('welcome');
    goes.socket.terminate();
    expect(await stays.next()).toBe('1 left, gone: true');
  });

  it('changes a collection, and does nothing where it lacks the row', async () => {
    const { url, host, logged } = await startHost([
      ROOM,
      {
        id: 'gone',
        path: '/room/{name}',
        on_close: {},
        collection: { name: 'rooms', delete: '{{request.params.name}}' },
      },
    ]);
    host.collection('rooms').create({ id: 'blue' });
    await leave(await Client.connect(`${url}/room/red`));
    await leave(await Client.connect(`${url}/room/blue`));
    await eventually(() => host.collection('rooms').size === 0);
    await eventually(() => logged('CLOSE').length === 2);
    expect(logged('CLOSE').filter((entry) => entry['matched_id'] === 'gone')).toHaveLength(1);
  });

  it('lets nobody in, answers no message, and no fault hits it', async () => {
    const { url, host, logged } = await startHost([{ id: 'left', path: '/only', on_close: {} }]);
    await expect(Client.connect(`${url}/only`)).rejects.toThrow('404');
    host.kind('websocket').mocks.create({ id: 'in', path: '/only', on_message: [{ respond: 'yes' }] });
    const client = await Client.connect(`${url}/only`);
    expect(await client.ask('hello')).toBe('yes');
    host.kind('websocket').fault?.set({ close_code: 1013, times: 1 });
    await leave(client);
    await eventually(() => logged('CLOSE').length > 0);
    expect(logged('CLOSE')).toMatchObject([{ matched_id: 'left' }]);
    expect(host.kind('websocket').fault?.get()).toMatchObject({ left: { times: 1 } });
  });

  it.each([
    [{ on_connect: { send: 'x' } }, '/on_connect'],
    [{ on_message: [{ respond: 'x' }] }, '/on_message'],
    [{ delay: '1s' }, '/delay'],
    [{ fault: { close_code: 1011 } }, '/fault'],
  ])('is refused with %j', async (more, path) => {
    const { host } = await startHost();
    const make = (): unknown => host.kind('websocket').mocks.create({ path: '/a', on_close: {}, ...more });
    expect(make).toThrow(expect.objectContaining({ details: [expect.objectContaining({ path })] }));
  });
});

describe('in a dialect', () => {
  it('is for a topic that a client leaves, or whose connection ends', async () => {
    const { url, host } = await startHost([
      { dialect: 'phoenix', topic: 're:^(?P<name>.+)$' },
      {
        dialect: 'phoenix',
        topic: 're:^(?P<name>.+)$',
        on_close: {},
        set_state: { '{{request.params.name}}': '{{request.code}}' },
      },
    ]);
    const client = await Client.connect(`${url}/socket/websocket?vsn=2.0.0`);
    for (const topic of ['a', 'b']) await client.ask(`["1","1","${topic}","phx_join",{}]`);
    await client.ask('["1","2","a","phx_leave",{}]');
    expect(host.state.all()).toEqual({ a: '1000' });
    client.socket.terminate();
    await eventually(() => host.state.all()['b'] !== undefined);
    expect(host.state.all()).toEqual({ a: '1000', b: '1006' });
  });
});

it('explains which mock is for a close', async () => {
  const { host } = await startHost([ROOM, { id: 'left', path: '/room/*', on_close: { code: 4000 } }]);
  const explain = (code: number): unknown =>
    host.kind('websocket').explain({ method: 'CLOSE', path: '/room/a', code });
  expect(explain(4000)).toMatchObject({ outcome: 'matched', mock_id: 'left' });
  expect(explain(1000)).toMatchObject({ outcome: 'unmatched' });
});
