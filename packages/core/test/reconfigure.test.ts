import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { MockTable } from '../src/mocks/mock-table.js';
import { ScenarioIncidents } from '../src/scenarios/scenario-incidents.js';
import { Slice } from '../src/time/slices.js';
import { nextTurn } from '../src/time/turns.js';
import {
  checkSettings,
  checkSettingsInSlices,
  createHost,
  manifestOf,
  protocolFromManifest,
  type Host,
} from '../src/index.js';
import type { CompileTools } from '../src/plugin.js';
import { probe } from './support.js';

type Settings = NonNullable<Parameters<typeof createHost>[0]['settings']>;

const hosts: Host[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(hosts.splice(0).map((host) => host.stop(0)));
});

async function start(options: Parameters<typeof createHost>[0]): Promise<Host> {
  const host = await createHost(options);
  hosts.push(host);
  await host.start();
  return host;
}

/** A sender that notes what mocks fire. */
function makeSender(fired: unknown[]) {
  return () =>
    ({
      enabled: true,
      fire: (...given: unknown[]) => fired.push(given),
      onAttempt: () => () => undefined,
      reset() {},
      stop: () => Promise.resolve(),
    }) as never;
}

describe('a host that takes other options', () => {
  it('keeps what it was made with, also for spaces that are made later', async () => {
    const { protocol } = probe('probe');
    const lines: { text: string; space?: string }[] = [];
    const fired: unknown[] = [];
    const host = await start({
      protocols: [protocol],
      ...{ version: '1.2.3', seed: 7, webhooks: makeSender(fired), logs: { max_entries: 50 } },
      log: (line) => lines.push(line),
    });
    const others = { protocols: [protocol], logs: { max_entries: 90 }, state: { a: '1' } };
    expect((await host.reconfigure(others)).notTaken).toEqual(expect.arrayContaining(['logs']));
    // What counts at a start is told again, and what runs is what is shown.
    expect((await host.reconfigure(others)).notTaken).toEqual(expect.arrayContaining(['logs']));
    expect(host.configuration()).toMatchObject({ logs: { max_entries: 50 }, state: { a: '1' } });
    const { host: space } = await host.spaces.create({ id: 't1' });
    expect(space.version).toBe('1.2.3');
    expect(space.webhooks).toBeDefined();
    await space.reactions.create({ on: { webhook: {} }, do: [{ state: { b: '2' } }] });
  });

  it('puts a kind in its place whose declaration was loaded from its manifest meanwhile', async () => {
    const whole = probe('late', {
      more: {
        mocks: {
          noun: 'mock',
          configKey: 'mocks',
          mode: 'first',
          schema: Type.Object({ answer: Type.String() }, { additionalProperties: false }),
          examples: [{ answer: 'a' }],
          answer: { fields: ['answer'], direct: 'answer' },
          compile: (mock: { answer: string }, tools: CompileTools) => ({
            answer: tools.template(mock.answer, '/answer'),
          }),
        },
      },
    }).protocol;
    const manifest = protocolFromManifest(manifestOf(whole), () => Promise.resolve(whole));
    const host = await start({ protocols: [probe('probe').protocol, manifest] });
    // As reading its schema does.
    await host.kind('late').load();
    const { services } = await host.reconfigure({
      protocols: [probe('probe').protocol, whole],
      settings: { late: { mocks: [{ id: 'm', answer: 'x' }] } },
    });
    expect(services).toContainEqual({ kind: 'late', did: 'started' });
    expect(host.kind('late').mocks.list()).toMatchObject([{ id: 'm', answer: 'x' }]);
    expect(() => host.kind('late').mocks.create({ answers: 'x' })).toThrow(/"answer" is required/);
  });

  it('is waited for when it is stopped meanwhile', async () => {
    const started: string[] = [];
    const stopped: string[] = [];
    const create = (): object => ({
      start: () => {
        started.push('late');
        return Promise.resolve({ host: '127.0.0.1', port: 1 });
      },
      stop: () => {
        stopped.push('late');
        return Promise.resolve();
      },
    });
    const late = probe('late', { more: { create } }).protocol;
    const host = await start({ protocols: [late], settings: { late: { enabled: false } } });
    const taken = host.reconfigure({ protocols: [late] });
    await host.stop(0);
    await taken.catch(() => undefined);
    expect(stopped).toEqual(started);
  });
});

describe('other options that do not work out late', () => {
  const settings = (answer: string, port?: number): Settings => ({
    probe: {
      ...(port === undefined ? {} : { port }),
      mocks: [{ id: 'm', match: 'm', answer }],
    },
  });
  const scenarios = [{ id: 's', active: true, patches: [{ mock_id: 'm', body: 'patched' }] }];

  it.each([
    ['collections', { collections: { more: { rows: [{ id: '1' }] } } }, fillCollections, /1000 collections/],
    ['the state', { state: { more: '1'.repeat(100) } }, fillState, /state/],
    [
      'reactions',
      { reactions: [{ on: { state: {} }, do: [{ state: { a: '1' } }] }] },
      fillReactions,
      /reactions/,
    ],
  ] as const)('change nothing where there is no room for %s any more', async (_what, more, fill, error) => {
    const starts: number[] = [];
    const made = probe('probe', {
      more: {
        create: () => ({
          start: (port: number) => {
            starts.push(port);
            return Promise.resolve({ host: '127.0.0.1', port: port === 0 ? 1 : port });
          },
          stop: () => Promise.resolve(),
        }),
      },
    });
    const { protocol } = made;
    const host = await start({ protocols: [protocol], settings: settings('one') });
    await fill(host);
    const before = host.configuration();
    await expect(
      host.reconfigure({
        protocols: [protocol],
        settings: settings('two', 7),
        scenarios,
        vars: { a: 'b' },
        ...more,
      }),
    ).rejects.toThrow(error);
    expect(host.configuration()).toEqual(before);
    expect([host.kind('probe').mocks.get('m'), host.scenarios.list(), host.kind('probe').url]).toEqual([
      expect.objectContaining({ answer: 'one' }),
      [],
      expect.stringContaining(':1'),
    ]);
    // What had to be started for it is as it was too.
    expect([1, 3]).toContain(starts.length);
    expect(starts.at(-1)).toBe(0);
    // The same without what there is no room for is taken.
    const { parts } = await host.reconfigure({ protocols: [protocol], settings: settings('two'), scenarios });
    expect(parts.map(({ part }) => part)).toEqual(['scenarios', 'mocks']);
  });

  it('take the files that services have read anew, or nothing', async () => {
    const taken: string[] = [];
    let renewal: () => Promise<(() => void) | undefined> = () => Promise.resolve(undefined);
    const { protocol } = probe('probe', {
      more: {
        create: () => ({
          start: () => Promise.resolve({ host: '127.0.0.1', port: 1 }),
          stop: () => Promise.resolve(),
          renew: () => renewal(),
        }),
      },
    });
    const host = await start({ protocols: [protocol], settings: settings('one') });
    const others = { protocols: [protocol], settings: settings('two') };
    renewal = () => Promise.reject(new Error('no certificate'));
    await expect(host.reconfigure(others)).rejects.toThrow('no certificate');
    expect(host.kind('probe').mocks.get('m')).toMatchObject({ answer: 'one' });
    renewal = () => Promise.resolve(() => taken.push('new'));
    expect((await host.reconfigure(others)).services).toEqual([{ kind: 'probe', did: 'renewed' }]);
    expect(taken).toEqual(['new']);
  });
});

describe('other options with very many mocks', () => {
  const COUNT = 3_000;
  const many = (answer: string): Settings => ({
    probe: { mocks: Array.from({ length: COUNT }, (_, n) => ({ id: `m${n}`, match: `m${n}`, answer })) },
  });

  it('are made ready in slices, keep what others make meanwhile, and are taken in one step', async () => {
    const { protocol } = probe('probe');
    const host = await start({ protocols: [protocol], settings: many('one') });
    const { mocks } = host.kind('probe');
    const answers = (): Set<unknown> =>
      new Set(mocks.list().map((mock) => (mock as { answer?: string }).answer));
    const areOver = jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
    const add = jest.spyOn(MockTable.prototype, 'add');
    const taken = host.reconfigure({ protocols: [protocol], settings: many('two') });
    let most = 0;
    let turns = 0;
    let isDone = false;
    void taken.finally(() => (isDone = true));
    while (!isDone) {
      const before = add.mock.calls.length;
      await nextTurn();
      most = Math.max(most, add.mock.calls.length - before);
      expect(answers().size).toBe(1);
      turns += 1;
      if (turns === COUNT) {
        areOver.mockRestore();
        mocks.create({ id: 'own', match: 'own', answer: 'one' });
        mocks.remove('m7');
        break;
      }
    }
    expect(isDone).toBe(false);
    expect(most).toBeLessThan(10);
    await taken;
    expect([mocks.has('own'), mocks.get('m1'), mocks.get('m7')]).toEqual([
      true,
      expect.objectContaining({ answer: 'two' }),
      expect.objectContaining({ answer: 'two' }),
    ]);
    expect(mocks.list()).toHaveLength(COUNT + 1);
    host.reset();
    expect([mocks.list().length, [...answers()]]).toEqual([COUNT, ['two']]);
  });

  it('are checked in slices as well', async () => {
    const areOver = jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
    let isDone = false;
    const { protocol } = probe('probe');
    const options = { protocols: [protocol], settings: many('one') };
    const found = checkSettingsInSlices(options).finally(() => (isDone = true));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    areOver.mockRestore();
    expect(isDone).toBe(false);
    expect(await found).toEqual([]);
    const aborted = new AbortController();
    aborted.abort(new Error('gone'));
    jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
    await expect(checkSettingsInSlices(options, aborted.signal)).rejects.toThrow('gone');
  });
});

it('a kind that other options bring has the patches of the scenarios that they bring, and their incidents begin', async () => {
  const whole = probe('late').protocol;
  const manifest = protocolFromManifest(manifestOf(whole), () => Promise.resolve(whole));
  const host = await start({ protocols: [probe('probe').protocol, manifest] });
  const begin = jest.spyOn(ScenarioIncidents.prototype, 'change');
  const { hasNewRoutes } = await host.reconfigure({
    protocols: [probe('probe').protocol, whole],
    settings: { late: { mocks: [{ id: 'm', match: 'm', answer: 'x' }] } },
    scenarios: [{ id: 's', active: true, patches: [{ mock_id: 'm', body: 'patched' }] }],
  });
  expect(hasNewRoutes).toBe(true);
  const [live] = (
    host.kind('late') as unknown as { mocks: { values(): readonly { id: string }[] } }
  ).mocks.values();
  expect(live).toMatchObject({ value: { answer: 'patched' } });
  expect(begin).toHaveBeenCalledWith([], [expect.objectContaining({ id: 's' })]);
});

async function fillCollections(host: Host): Promise<void> {
  for (let n = 0; n < 1000; n += 1) await host.collections.define(`c${n}`, {});
}

function fillState(host: Host): void {
  for (let n = 0; n < 64; n += 1) host.state.setAll({ [`k${n}`]: 'x'.repeat(1024 * 1024 - 4) });
}

async function fillReactions(host: Host): Promise<void> {
  const do_ = [{ state: { a: '1' } }];
  while (host.reactions.list().length < 1000)
    await host.reactions.create({ on: { state: { key: 'none' } }, do: do_ });
}

it('a configuration may follow webhooks, whose sender is not there when it is checked', () => {
  const reactions = [{ on: { webhook: {} }, do: [{ state: { a: '1' } }] }];
  expect(checkSettings({ protocols: [probe('probe').protocol], reactions })).toEqual([]);
});
