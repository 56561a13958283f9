import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Client, startHost } from './support.js';

describe('what is sent without being asked for', () => {
  it('comes to all clients, or to one by its address', async () => {
    const { host, port } = await startHost({ mocks: [{ match: 'PING', response: 'PONG' }] });
    const clients = [await Client.connect(port), await Client.connect(port)];
    const [one, two] = clients;
    await eventually(() => host.kind('tcp').connections.list().length === 2);
    const { port: own = 0 } = one?.socket.address() as { port?: number };
    const emit = (message: object): Promise<unknown> => host.emit('tcp', message as never);
    expect(await emit({ data: 'all\n' })).toEqual({ status: 'sent', delivered: 2 });
    expect(await emit({ data: 'hex:00 ff', client: `127.0.0.1:${own}` })).toMatchObject({ delivered: 1 });
    expect(await emit({ json: { n: 1 }, client: '127.0.0.1' })).toMatchObject({ delivered: 2 });
    expect(await emit({ data: 'x', client: '127.0.0.9' })).toMatchObject({ delivered: 0 });
    await one?.until(() => one.size === 13);
    await two?.until(() => two.size === 11);
    expect(one?.bytes.toString('latin1')).toBe('all\n\x00\xff{"n":1}');
    expect(two?.text).toBe('all\n{"n":1}');
    // It is neither matched nor in the log, and answers go on.
    await one?.send('PING');
    expect((await one?.receives('all\n..{"n":1}PONG'))?.endsWith('PONG')).toBe(true);
    expect(host.journal.count().count).toBe(1);
    for (const wrong of [{}, { data: '' }, { data: 'a', json: 1 }, { data: 'hex:0' }, { data: 'x', to: 'y' }])
      await expect(emit(wrong)).rejects.toMatchObject({ code: 'invalid' });
    two?.socket.resetAndDestroy();
    await eventually(() => host.kind('tcp').connections.list().length === 1);
    expect(await emit({ data: '.' })).toMatchObject({ delivered: 1 });
  });

  it('is a message of the framing, by a reaction as well', async () => {
    const { host, port } = await startHost({ framing: 'length-prefix', length_bytes: 2 });
    await host.reactions.create({
      on: { state: { key: 'mode' } },
      do: [{ tcp: { data: 'now {{request.value}}' } }],
    });
    const client = await Client.connect(port);
    await eventually(() => host.kind('tcp').connections.list().length === 1);
    host.state.setAll({ mode: 'day' });
    await client.receives('..now day');
    expect(client.bytes.toString('latin1')).toBe('\x00\x07now day');
  });
});
