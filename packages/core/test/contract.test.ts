import { afterEach, describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import type { CompileTools } from '../src/plugin.js';
import { checkSettings, createHost, settingsSchemaOf, type BacklotError, type Host } from '../src/index.js';
import { CaptureStore } from '../src/stores/capture-store.js';
import { StateStore } from '../src/stores/state-store.js';
import { VirtualClock } from '../src/time/clock-virtual.js';
import { compileTemplate } from '../src/templates/template.js';
import { message, probe, startProbe } from './support.js';

// What some kinds need of the contract beyond the common way of a message.

let host: Host | undefined;
afterEach(async () => host?.stop(0));

const ServiceSchema = Type.Object(
  { name: Type.String(), mocks: Type.Optional(Type.Array(Type.Object({}))) },
  { additionalProperties: false },
);
const config = Type.Object(
  { services: Type.Optional(Type.Array(ServiceSchema)) },
  { additionalProperties: false },
);

function withServices(): ReturnType<typeof probe> {
  const plain = probe();
  const { mocks } = plain.protocol;
  return {
    ...plain,
    protocol: { ...plain.protocol, config, mocks: { ...mocks, furtherLists: ['/services/*/mocks'] } },
  };
}

describe('further lists of mocks in the configuration', () => {
  it('follow the main list, with places of their own in problems', async () => {
    const services = [
      { name: 'a', mocks: [{ id: 'x', match: 'x', answer: 'of a' }] },
      { name: 'b' },
      { name: 'c', mocks: [{ id: 'y', match: 'y', answer: 'of c' }] },
    ];
    const started = await startProbe(
      { services, mocks: [{ id: 'z', match: 'x', answer: 'main' }] },
      {},
      withServices(),
    );
    host = started.host;
    expect(await started.ask('x')).toBe('main');
    expect(await started.ask('y')).toBe('of c');
    expect(
      host
        .kind('probe')
        .mocks.list()
        .map(({ id }) => id),
    ).toEqual(['z', 'x', 'y']);
    const { protocol } = withServices();
    const bad = [{ name: 'a', mocks: [{ id: 'z', match: 'x' }, { wrong: 1 }] }];
    const problems = checkSettings({
      protocols: [protocol],
      settings: { probe: { mocks: [{ id: 'z', match: 'x' }], services: bad } },
    });
    expect(problems.map(({ path }) => path)).toEqual([
      '/settings/probe/services/0/mocks/0/id',
      '/settings/probe/services/0/mocks/1/wrong',
    ]);
  });

  it('stand in the schema of the settings', () => {
    const schema = settingsSchemaOf(withServices().protocol);
    const list = schema.properties['services']?.['items'].properties.mocks;
    expect(Object.keys(list.items.properties)).toEqual(expect.arrayContaining(['id', 'match', 'delay']));
    expect(schema.properties['mocks']?.['items']).toEqual(list.items);
  });
});

it('gives the kind’s own index of this host to checkConfig and compile', async () => {
  class Index {
    answer = '';
    add(): void {}
    remove(): void {}
    find(): void {}
  }
  const make = (): ReturnType<typeof probe> => {
    const plain = probe();
    const { mocks } = plain.protocol;
    const compile = (mock: object, tools: CompileTools, index: never): object => ({
      ...mocks.compile(mock as never, tools, index),
      seen: (index as Index).answer,
    });
    const checkConfig = (own: { size: number }, index: Index): void => {
      index.answer = `size ${own.size}`;
    };
    return {
      ...plain,
      protocol: {
        ...plain.protocol,
        checkConfig,
        mocks: { ...mocks, index: () => new Index(), compile },
      },
    };
  };
  const one = make();
  const two = make();
  host = await createHost({ protocols: [one.protocol], settings: { probe: { size: 1 } } });
  const other = await createHost({ protocols: [two.protocol], settings: { probe: { size: 2 } } });
  await host.start();
  await other.start();
  try {
    for (const each of [host, other]) each.kind('probe').mocks.create({ id: 'm', match: 'x' });
    const seen = [one, two].map((each) =>
      each
        .context()
        .mocks.values()
        .map((mock) => (mock as unknown as { compiled: { seen: string } }).compiled.seen),
    );
    expect(seen).toEqual([['size 1'], ['size 2']]);
  } finally {
    await other.stop(0);
  }
});

it('takes exchanges that ask for no mock, or that need none, as neither matched nor unmatched', async () => {
  const started = await startProbe({ mocks: [{ id: 'm', match: 'x' }] });
  host = started.host;
  const login = started.probe.context().receive(message('/', { method: 'CONNECT' }));
  login.done();
  await started.ask('y');
  await started.ask('x');
  const stored = started.probe.context().receive(message('z'));
  void stored.resolve();
  stored.answeredFromData();
  stored.done();
  const paths = (filter: object): unknown[] =>
    started.host.journal.list(filter).map((entry) => entry['path']);
  expect(paths({})).toEqual(['/', 'y', 'x', 'z']);
  expect(host.journal.list().at(-1)).not.toHaveProperty('near_misses');
  expect(paths({ unmatched: true })).toEqual(['y']);
  expect(paths({ unmatched: false })).toEqual(['x']);
});

it('says of an exchange whose delay waits whether it has matched and whether a fault is coming', async () => {
  const started = await startProbe({ mocks: [{ id: 'm', match: 'x', delay: '1h' }] });
  host = started.host;
  const context = started.probe.context();
  const says = (path: string): object => {
    const exchange = context.receive(message(path));
    const outcome = exchange.resolve();
    const { matched, faulted } = exchange;
    exchange.abort();
    return { matched, faulted, waits: outcome instanceof Promise };
  };
  expect(says('x')).toEqual({ matched: true, faulted: false, waits: true });
  expect(says('y')).toEqual({ matched: false, faulted: false, waits: false });
  host.faults.set('probe', { delay: '1h' });
  expect(says('y')).toEqual({ matched: false, faulted: false, waits: true });
  host.faults.set('probe', { text: 'broken' });
  expect(says('x')).toEqual({ matched: true, faulted: true, waits: true });
});

describe('captured messages', () => {
  it('are the newest ones, in order, however many came', () => {
    const store = new CaptureStore(3000);
    const exchange = { isCurrent: true };
    for (let n = 0; n < 10_000; n += 1) store.add(n, 1, exchange);
    expect(store.size).toBe(3000);
    expect(store.values()).toEqual(Array.from({ length: 3000 }, (_, index) => 7000 + index));
    const saved = store.save();
    store.add('more', 1, exchange);
    expect(store.values()[0]).toBe(7001);
    store.restore(saved);
    expect(store.values().at(-1)).toBe(9999);
    store.clear();
    expect(store.size).toBe(0);
    expect(store.values()).toEqual([]);
  });

  it('may be made when they are read', () => {
    const store = new CaptureStore(10);
    let made = 0;
    const lazy = (id: string): object => ({
      capture() {
        made += 1;
        return { id };
      },
    });
    store.add(lazy('1'), 1, { isCurrent: true });
    expect(made).toBe(0);
    expect(store.values()).toEqual([{ id: '1' }]);
    const seen: unknown[] = [];
    const read: unknown[] = [];
    const leave = store.subscribe((event) => {
      if (event.type === 'cleared') return;
      seen.push(event.type);
      if (seen.length === 2) read.push(event.value);
    });
    store.add(lazy('2'), 1, { isCurrent: true });
    expect(made).toBe(1);
    store.add(lazy('3'), 1, { isCurrent: true });
    leave();
    expect(seen).toEqual(['added', 'added']);
    expect(read).toEqual([{ id: '3' }]);
    expect(made).toBe(2);
  });

  it('are read one at a time, as they were when they were asked for', () => {
    const store = new CaptureStore(10);
    const exchange = { isCurrent: true };
    let made = 0;
    const lazy = (id: string, captureId?: string): object => ({
      ...(captureId === undefined ? {} : { captureId }),
      capture() {
        made += 1;
        return { id };
      },
    });
    store.add(lazy('1', '1'), 1, exchange);
    store.add(lazy('2'), 1, exchange);
    store.add({ id: '3' }, 1, exchange);
    store.add('no object', 1, exchange);
    const items = store.items();
    store.clear();
    store.add({ id: 'new' }, 1, exchange);
    expect(made).toBe(0);
    const [first, ...others] = items;
    // The second one says its id only when it is made.
    expect([first?.id, ...others.map(({ id }) => id), made]).toEqual(['1', '2', '3', '', 1]);
    expect([first?.read(), others[0]?.read(), others[2]?.read()]).toEqual([
      { id: '1' },
      { id: '2' },
      'no object',
    ]);
  });

  it('are bounded by the bytes that the configuration names', async () => {
    const { protocol } = probe();
    const bounded = {
      ...protocol,
      config: Type.Object({ most: Type.Optional(Type.Integer()) }),
      capture: { schema: Type.Object({ id: Type.String() }), bytes: 30, bytesKey: 'most' },
    };
    for (const [settings, held] of [
      [{}, ['2', '3']],
      [{ most: 10 }, ['3']],
    ] as const) {
      const started = await createHost({ protocols: [bounded], settings: { probe: settings } });
      const store = started.kind('probe').captures as unknown as CaptureStore;
      for (const id of ['1', '2', '3']) store.add({ id }, 15, { isCurrent: true });
      expect(store.values()).toEqual(held.map((id) => ({ id })));
    }
  });

  it('are bounded by their bytes too, the newest one excepted', () => {
    const store = new CaptureStore(10);
    const exchange = { isCurrent: true };
    for (const value of ['a', 'b', 'c']) store.add(value, 100 * 1024 * 1024, exchange);
    expect(store.values()).toEqual(['b', 'c']);
    store.add('huge', 300 * 1024 * 1024, exchange);
    expect(store.values()).toEqual(['huge']);
  });
});

it('looks once at what depends on state, however many keys are set or deleted at once', () => {
  const state = new StateStore(new VirtualClock(() => undefined));
  const told: (string | undefined)[] = [];
  state.onChange((key) => told.push(key));
  const values = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 'v']));
  state.setAll(values);
  expect([...state.entries()]).toEqual(Object.entries(values));
  expect(state.deletePrefix('k')).toBe(1000);
  expect(state.deletePrefix('k')).toBe(0);
  state.setAll({ one: '1' });
  state.deletePrefix('o');
  state.setAll({});
  expect(told).toEqual([undefined, undefined, 'one', 'one']);
  const wrong = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
  const refusal = ((): BacklotError => {
    try {
      state.setAll(wrong);
    } catch (thrown) {
      return thrown as BacklotError;
    }
    throw new Error('it was not refused');
  })();
  expect([refusal.code, refusal.details?.length]).toEqual(['invalid', 101]);
  expect([...state.entries()]).toEqual([]);
});

it('tells a template that is just the message from others', () => {
  const whole = (text: string): boolean => compileTemplate(text).isWholeBody;
  expect(['{{request.raw_body}}', '{{{ .request.raw_body }}}', '{{ request.raw_body }}'].map(whole)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['', 'x{{request.raw_body}}', '{{request.raw_body}}\n', '{{request.body}}'].map(whole)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
