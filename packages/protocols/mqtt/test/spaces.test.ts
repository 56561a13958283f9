import { describe, expect, it } from '@jest/globals';
import { addSpaces, type KindInSpaces } from '@backlot/conformance';
import { connect, startHost } from './support.js';

const held = ({ main, t1, t2 }: KindInSpaces): unknown[] =>
  [main, t1, t2].map(({ captures }) =>
    captures?.values().map((each) => (each as { payload: string }).payload),
  );

describe.each(['mqtt', 'ws'] as const)('a login that names a space, over %s', (way) => {
  it('has the retained messages, sessions and mocks of the space', async () => {
    const running = await startHost({
      mocks: [{ id: 'a', topic: 'ask', response: { topic: 'said', payload: 'main' } }],
    });
    const spaces = await addSpaces(running);
    spaces.t1.mocks.replace('a', { topic: 'ask', response: { topic: 'said', payload: 'one' } });
    const { port } = running;
    const clients = [
      await connect(port, { username: 'ann', clientId: 'same' }, way),
      await connect(port, { username: 't1', clientId: 'same', protocolVersion: 5 }, way),
      await connect(port, { username: 't2+ann', clientId: 'same' }, way),
    ];
    for (const [index, { mqtt }] of clients.entries()) {
      await mqtt.subscribeAsync('#', { qos: 1 });
      await mqtt.publishAsync('state', String(index), { retain: true, qos: 1 });
      await mqtt.publishAsync('ask', 'x', { qos: 1 });
    }
    const [main, one, two] = clients;
    expect(await main?.receives(3)).toEqual(['state 0', 'ask x', 'said main']);
    expect(await one?.receives(3)).toEqual(['state 1', 'ask x', 'said one']);
    expect(await two?.receives(3)).toEqual(['state 2', 'ask x', 'said main']);
    expect(held(spaces)).toEqual([
      ['0', 'x'],
      ['1', 'x'],
      ['2', 'x'],
    ]);
    expect(spaces.t2.connections.list()).toMatchObject([{ user: 'ann', client: 'same' }]);
    expect(spaces.main.status()['connections']).toBe(1);
    const late = await connect(port, { username: 't1' }, way);
    await late.mqtt.subscribeAsync('state');
    expect(await late.receives(1)).toEqual(['state 1']);
    const closed = new Promise((resolve) => one?.mqtt.once('close', () => resolve(one.disconnected)));
    await running.host.spaces.remove('t1');
    expect(await closed).toBe(0x8b);
  });
});

describe('a login', () => {
  it('needs the password of its user in the space, and rolls the faults there', async () => {
    const running = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    const { t1, main } = await addSpaces(running);
    await expect(connect(running.port, { username: 't1+ann', password: 'wrong' })).rejects.toThrow();
    await connect(running.port, { username: 't1+ann', password: 'secret' });
    expect([main, t1].map(({ connections }) => connections.list().length)).toEqual([0, 1]);
    t1.fault?.set({ phase: 'login', reason_code: 135 });
    await expect(connect(running.port, { username: 't1+ann', password: 'secret' })).rejects.toThrow();
    await connect(running.port, { username: 'ann', password: 'secret' });
    // What is no space, or one no more, is a user as ever.
    await running.host.spaces.remove('t1');
    await expect(connect(running.port, { username: 't1+ann', password: 'secret' })).rejects.toThrow();
  });
});
