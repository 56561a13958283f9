import { afterEach, describe, expect, it } from '@jest/globals';
import type { Host, HostOptions, Space } from '../../src/index.js';
import type { SpaceDoors } from '../../src/plugin.js';
import { message, probe, startProbe, type Probe } from '../support.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

type Context = ReturnType<Probe['context']>;

/** A host whose worlds can each be asked: the last context that was made belongs to the space made last. */
async function start(
  settings: Record<string, unknown> = {},
  options: Partial<HostOptions> = {},
): Promise<{
  host: Host;
  ask(path: string, context?: Context): Promise<string>;
  enter(space: Space): Promise<Context>;
}> {
  const contexts = new Map<string | undefined, Context>();
  let made: unknown;
  const started = await startProbe(
    settings,
    options,
    probe('probe', { onCreate: (context) => (made = context) }),
  );
  host = started.host;
  contexts.set(undefined, made as Context);
  return {
    host: started.host,
    async enter(space) {
      await space.host.kind('probe').wake();
      return made as Context;
    },
    async ask(path, context = contexts.get(undefined)) {
      if (context === undefined) throw new Error('nothing runs');
      const exchange = context.receive(message(path));
      const outcome = await exchange.resolve();
      exchange.done({ status: outcome.type });
      if (outcome.type !== 'matched') return outcome.type;
      const compiled = outcome.mock.compiled as { answer: { render(scope: unknown): string } };
      return compiled.answer.render((outcome as unknown as { scope: unknown }).scope);
    },
  };
}

const MOCKS = [
  { id: 'a', match: 'a', answer: 'file' },
  { id: 'shut', match: 'b', answer: 'open', state: { key: 'open', value: 'yes' } },
  { id: 'rows', match: 'c', answer: '{{seq "n"}}' },
];

describe('a space', () => {
  it('has what the file says, whatever the main world has done since', async () => {
    const { host, ask, enter } = await start({ mocks: MOCKS }, { state: { open: 'no' } });
    host.kind('probe').mocks.remove('a');
    host.state.setAll({ open: 'yes' });
    expect(await ask('c')).toBe('1');
    const space = await host.spaces.create({ id: 't1' });
    const context = await enter(space);
    expect(await ask('a', context)).toBe('file');
    expect(await ask('b', context)).toBe('unmatched');
    expect(await ask('c', context)).toBe('1');
    expect(space.host.state.all()).toEqual({ open: 'no' });
  });

  it('is not seen outside, and does not see what others do', async () => {
    const { host, ask, enter } = await start({ mocks: MOCKS });
    const [one, other] = [await host.spaces.create({ id: 't1' }), await host.spaces.create({ id: 't2' })];
    const [inOne, inOther] = [await enter(one), await enter(other)];
    one.host.kind('probe').mocks.create({ id: 'own', match: 'own', answer: 'mine', priority: 1 });
    one.host.kind('probe').mocks.replace('a', { match: 'a', answer: 'changed' });
    one.host.faults.set('probe', { error_rate: 1 });
    one.host.state.setAll({ open: 'yes' });
    one.host.collection('things').create({ id: '1' });
    one.host.clock.freeze(true);
    expect(await ask('own', inOne)).toBe('fault');
    one.host.faults.clearAll();
    expect(await ask('own', inOne)).toBe('mine');
    expect(await ask('b', inOne)).toBe('open');
    for (const [world, context] of [
      [host, undefined],
      [other.host, inOther],
    ] as const) {
      expect(await ask('own', context)).toBe('unmatched');
      expect(await ask('a', context)).toBe('file');
      expect(await ask('b', context)).toBe('unmatched');
      expect(world.collections.has('things')).toBe(false);
      expect(world.clock.view().frozen).toBe(false);
      expect(world.journal.list().map(({ path }) => path)).toEqual(['own', 'a', 'b']);
      expect(world.kind('probe').calls.of('a').count).toBe(1);
    }
    expect(one.host.journal.list()).toEqual([
      expect.objectContaining({ space: 't1', path: 'own', fault: true }),
      expect.objectContaining({ space: 't1', path: 'own', matched_id: 'own' }),
      expect.objectContaining({ space: 't1', path: 'b' }),
    ]);
    expect(host.journal.list()[0]).not.toHaveProperty('space');
  });

  it('is reset to the file by its own reset, and left alone by that of the main world', async () => {
    const { host, ask, enter } = await start({ mocks: MOCKS });
    const space = await host.spaces.create();
    const context = await enter(space);
    space.host.kind('probe').mocks.remove('a');
    host.reset();
    expect(await ask('a', context)).toBe('unmatched');
    space.host.reset();
    expect(await ask('a', context)).toBe('file');
    expect(space.host.journal.count().count).toBe(1);
  });

  it('has the scenarios and faults of the file, active ones included', async () => {
    const { host, ask, enter } = await start(
      { mocks: MOCKS },
      { scenarios: [{ id: 's', active: true, patches: [{ mock_id: 'a', body: 'patched' }] }] },
    );
    host.scenarios.deactivate('s');
    const context = await enter(await host.spaces.create({ id: 't1' }));
    expect(await ask('a', context)).toBe('patched');
    host.spaces.get('t1').host.scenarios.deactivate('s');
    expect(await ask('a', context)).toBe('file');
  });

  it('puts the data of a kind back that was started after the snapshot', async () => {
    let data = 0;
    const made = probe('probe', {
      onCreate(context) {
        data = 1;
        (context as Context).addToSnapshots('data', {
          save: () => data,
          restore: (saved) => (data = saved as number),
        });
      },
    });
    const started = await startProbe({}, {}, made);
    host = started.host;
    const space = await host.spaces.create();
    space.host.snapshots.create('empty');
    await space.host.kind('probe').wake();
    data = 7;
    space.host.snapshots.restore('empty');
    expect(data).toBe(1);
    data = 8;
    space.host.reset();
    expect(data).toBe(1);
  });

  it('has a seed of its own, when it is given one', async () => {
    const { host } = await start();
    expect((await host.spaces.create()).host.seed).toBe(host.seed);
    expect((await host.spaces.create({ seed: 7 })).view().seed).toBe(7);
  });

  it('starts the kinds that are asked for, and no others', async () => {
    const { host } = await start();
    const idle = await host.spaces.create({ id: 'idle' });
    expect(idle.host.kind('probe').service).toBeUndefined();
    expect(idle.view().protocols).toEqual({});
    const ready = await host.spaces.create({ protocols: ['probe'] });
    expect(ready.view()).toMatchObject({
      protocols: { probe: { url: 'probe://127.0.0.1:1', port: 1 } },
      env: { PROBE_URL: 'probe://127.0.0.1:1' },
    });
    await expect(host.spaces.create({ id: 'x', protocols: ['probe', 'nope'] })).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: '/protocols/1', message: expect.stringContaining('(probe), got "nope"') }],
    });
    expect(host.spaces.find('x')).toBeUndefined();
  });
});

describe('the spaces of a host', () => {
  it('refuse ids, times and fields that cannot be, and ids that are taken', async () => {
    const { host } = await start();
    for (const given of [
      { id: 'T1' },
      { id: 'a+b' },
      { id: '' },
      { ttl: 'soon' },
      { ttl: '0s' },
      { name: 'x' },
    ])
      await expect(host.spaces.create(given)).rejects.toMatchObject({ code: 'invalid' });
    await host.spaces.create({ id: 't1' });
    await expect(host.spaces.create({ id: 't1' })).rejects.toMatchObject({ code: 'conflict' });
    const together = await Promise.allSettled([
      host.spaces.create({ id: 't2' }),
      host.spaces.create({ id: 't2' }),
    ]);
    expect(together.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(host.spaces.get('t1').host.spaces.create()).rejects.toMatchObject({ code: 'invalid' });
  });

  it('say how a space has ended', async () => {
    const { host } = await start();
    expect(() => host.spaces.get('t1')).toThrow('there is no space "t1"');
    await host.spaces.create({ id: 't1' });
    await host.spaces.remove('t1');
    expect(() => host.spaces.get('t1')).toThrow(/the space "t1" is gone: it was deleted at 20/);
    await host.spaces.create({ id: 't1' });
    expect(host.spaces.get('t1').id).toBe('t1');
  });

  it('end when they are not used for their ttl, by real time', async () => {
    const { host, ask, enter } = await start();
    const space = await host.spaces.create({ id: 'short', ttl: '30ms' });
    const context = await enter(space);
    const ended = new Promise<void>((resolve) => space.onEnd(resolve));
    const before = space.view().expires_at;
    await ask('a', context);
    expect(space.view().expires_at >= before).toBe(true);
    await ended;
    expect(() => host.spaces.get('short')).toThrow(/is gone: it was not used for its ttl of 30 ms at/);
  });

  it('are no more than the bound, which ends none that is in use', async () => {
    const { host } = await start({}, { spaces: { max: 1 } });
    await host.spaces.create({ id: 't1' });
    await expect(host.spaces.create()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('there are 1 spaces'),
    });
    await host.spaces.remove('t1');
    await host.spaces.create();
  });

  it('end with their host', async () => {
    const { host } = await start();
    const space = await host.spaces.create();
    await host.stop(0);
    expect(space.host.health).toBe('stopping');
    await expect(host.spaces.create()).rejects.toMatchObject({ code: 'not_enabled' });
  });

  it('have limits that are checked with the options of the host', async () => {
    await expect(start({}, { spaces: { max: -1, ttl: 'x' } })).rejects.toMatchObject({
      details: [{ path: '/spaces/max' }, { path: '/spaces/ttl' }],
    });
  });
});

describe('the doors of spaces', () => {
  it('lead to the entrance of the kind in the space', async () => {
    let doors: SpaceDoors | undefined;
    const made = probe('probe', {
      onCreate: (context) => (doors ??= (context as { spaces: NonNullable<typeof doors> }).spaces),
      more: {
        create: (context: { spaces: NonNullable<typeof doors> }) => {
          doors ??= context.spaces;
          return {
            entrance: context.spaces,
            start: () => Promise.resolve({ host: '127.0.0.1', port: 1 }),
            stop: () => Promise.resolve(),
          };
        },
      },
    });
    ({ host } = await startProbe({}, {}, made));
    const { spaces } = host;
    expect(doors?.ofLogin('t1+ann')).toBeUndefined();
    expect(() => doors?.get('t1')).toThrow('there is no space "t1"');
    await spaces.create({ id: 't1' });
    expect(doors?.ofLogin('t1')?.id).toBe('t1');
    expect(doors?.ofLogin('t1+ann')?.id).toBe('t1');
    expect(doors?.ofLogin('t12')).toBeUndefined();
    expect(doors?.userOf('t1+ann')).toBe('t1+ann');
    const inside = (await doors?.get('t1')?.open()) as NonNullable<typeof doors>;
    expect(inside).not.toBe(doors);
    expect(inside.userOf('t1+ann')).toBe('ann');
    expect(inside.userOf('t1')).toBeUndefined();
    expect(inside.userOf('ann')).toBe('ann');
    expect(inside.ofLogin('t1+ann')).toBeUndefined();
    expect(inside.get('t1')).toBeUndefined();
  });
});
