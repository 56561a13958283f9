import { afterEach, describe, expect, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
import { conformanceGroups, type ConformanceGroup, type Probe } from '../src/index.js';
import type { Breakage } from './echo/breakage.js';
import { createEcho, echoProbe } from './echo/echo.js';

/** A broken client waits so many turns of the event loop in vain. */
const TIMEOUT = 300;

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function makeBroken(breakage: Breakage): Protocol {
  const { protocol, clear } = createEcho(breakage);
  cleanups.push(clear);
  return protocol;
}

/** Runs the suite and answers what failed, by group. */
async function failures(
  protocol: Protocol,
  probe: Probe,
  isSequential: boolean,
): Promise<Record<string, string[]>> {
  const failed: Record<string, string[]> = {};
  const runGroup = async (group: ConformanceGroup): Promise<void> => {
    for (const { name, run } of group.cases) {
      try {
        await run();
      } catch (thrown) {
        (failed[group.name] ??= []).push(
          `${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        );
      }
    }
  };
  const groups = conformanceGroups(protocol, probe);
  if (isSequential) for (const group of groups) await runGroup(group);
  // Each case has a host of its own, so groups side by side only save time.
  else await Promise.all(groups.map(runGroup));
  return failed;
}

/** Which group each breakage fails, a part of what it says, and the groups that count on what is broken. */
const EXPECTED: Readonly<
  Record<Breakage, readonly [group: string, message: string, others?: readonly string[]]>
> = {
  'has a property without a description': ['declaration', 'config.greeting'],
  'has an example that is not valid': ['declaration', 'mocks.examples[0] is refused'],
  'has a default fault that is not valid': ['declaration', 'fault.default'],
  'has an incident whose stage is no duration': ['incidents', 'echo-outage/stages/0/lasts'],
  'has an importer that takes any file for its own': ['imports', 'is sure of'],
  'keeps listening after a stop': ['lifecycle', 'still takes connections', ['spaces']],
  'takes another port when its own is in use': ['lifecycle', 'port_in_use'],
  'waits for its clients when it stops': ['lifecycle', 'the stop: nothing after', ['spaces']],
  'shares its server between hosts': ['lifecycle', 'the answer of the second', ['spaces']],
  'remembers answers of a connection': ['mocks', 'after the replacement'],
  'never answers unmatched': [
    'mocks',
    'an answer to the message "unmatched": nothing after',
    ['contracts', 'faults'],
  ],
  'shows the template instead of the answer': ['mocks', 'got "{{upper request.path}}", want "SIMPLE"'],
  'forgets done': ['journal', '3 entries in the journal', ['contracts', 'faults', 'verify']],
  'logs twice': ['journal', 'the number of entries: got 6, want 3'],
  'logs another verb': ['journal', 'method: got "OTHER", want "SAY"', ['faults', 'verify']],
  'gives no reasons': ['journal', 'a near miss must say why'],
  'answers one after the other for all': ['delays', 'an answer to the message "other": nothing after'],
  'does not see that a client left': ['delays', 'the entry of a client that left is aborted'],
  'answers before the delay': ['delays', 'the answer came before its delay had passed'],
  'ignores faults': ['faults', 'got "one", want "fault"'],
  'ignores faults of phase connect': ['faults', 'the end of a new connection'],
  'has no answer for its fault': ['faults', 'got "", want "fault"'],
  'captures nothing': ['captures', 'a captured message'],
  'captures twice': ['captures', 'the number of captured messages'],
  'captures under one id': ['captures', 'an `id` of its own'],
  'captures what its schema does not say': ['captures', 'differs from its schema'],
  'lists streams for ever': ['streams', 'no stream is listed'],
  'ends streams without their error': ['streams', 'got "end", want "error boom"'],
  'delivers no pushes': ['streams', 'the next part of a stream'],
  'lists no connections': ['connections', 'is not in the list'],
  'closes no connections': ['connections', 'the connections to be closed'],
  'closes connections on a reset': ['reset', 'got "closed", want "one"'],
  'stores what a reset has overtaken': ['reset', 'the captured messages'],
  'cannot restore what it keeps': ['snapshots', 'cannot restore', ['faults']],
  'answers in spaces as in the main world': ['spaces', 'the answer in the space: got "one", want "two"'],
  'asks for its upstream and answers itself': ['upstream', 'its start with one was not refused'],
  'says that it reads its upstream, and has none': ['recording', 'has no upstream'],
  'refuses nothing that its contract does not allow': ['contracts', 'want "refused"'],
  'holds no mocks to its contract': ['contracts', 'a mock whose answer it does not allow: was accepted'],
  'says nothing of what its contract has not checked': [
    'contracts',
    'an entry whose contract.unchecked has "request": not so',
  ],
  'exports less than it has, and does not say so': ['exports', 'its report must say "no streams"'],
  'exports something else than it has': ['exports', 'what came back'],
  'exports a file that cannot be read again': ['exports', 'has none of the formats'],
  'explains with the wrong message': ['explain', 'the outcome'],
  'dies on garbage': ['robustness', 'survives random bytes'],
  'chokes on half-open connections': ['robustness', 'half of them half-closed'],
};

describe('a broken protocol', () => {
  it.each(Object.entries(EXPECTED) as [Breakage, readonly [string, string, (readonly string[])?]][])(
    'that %s fails its group and no other',
    async (breakage, [group, message, others = []]) => {
      const isSequential =
        breakage === 'shares its server between hosts' ||
        breakage === 'answers in spaces as in the main world';
      const failed = await failures(makeBroken(breakage), echoProbe({ timeout: TIMEOUT }), isSequential);
      expect({ [breakage]: Object.keys(failed).sort() }).toEqual({ [breakage]: [group, ...others].sort() });
      expect(failed[group]?.join('\n')).toContain(message);
    },
    60_000,
  );
});

describe('a probe', () => {
  it.each([
    ['captures', { captured: undefined }],
    ['streams', { stream: undefined }],
    ['contracts', { contract: undefined }],
  ])('that leaves out %s of a kind that declares them fails', async (group, without) => {
    const { protocol } = createEcho();
    const probe = Object.fromEntries(
      Object.entries({ ...echoProbe({ timeout: TIMEOUT }), ...without }).filter(
        ([, fact]) => fact !== undefined,
      ),
    );
    const groups = conformanceGroups(protocol, probe as unknown as Probe);
    const cases = groups.find(({ name }) => name === group)?.cases ?? [];
    expect(cases.length).toBeGreaterThan(0);
    for (const { run } of cases) await expect(run()).rejects.toThrow('its probe must have');
  });

  it('that says of clients that they name spaces, of a kind that takes no names, fails', async () => {
    const groups = conformanceGroups(
      createEcho().protocol,
      echoProbe({ timeout: TIMEOUT, namesSpaces: true }),
    );
    const cases = groups.find(({ name }) => name === 'spaces')?.cases ?? [];
    await expect(cases.at(-1)?.run()).rejects.toThrow('the answer to a client that names the space');
  });

  it.each([
    ['refuses one', undefined, ['has no upstream', 'has no upstream']],
    [
      'answers itself',
      'asks for its upstream and answers itself',
      ['the answer of the upstream: got', 'a client was answered although the upstream is not there'],
    ],
  ] as const)(
    'that says of a kind that it has an upstream, and the kind %s, fails',
    async (_, breakage, problems) => {
      const protocol = breakage === undefined ? createEcho().protocol : makeBroken(breakage);
      const groups = conformanceGroups(protocol, echoProbe({ timeout: TIMEOUT, hasNoUpstream: false }));
      const cases = groups.find(({ name }) => name === 'upstream')?.cases ?? [];
      // The last one is about its mocks, which have no upstream and say so.
      const ofMocks = cases.at(-1);
      const ofKind = cases.slice(0, -1);
      expect(ofKind).toHaveLength(problems.length);
      for (const [index, { run }] of ofKind.entries()) await expect(run()).rejects.toThrow(problems[index]);
      await ofMocks?.run();
    },
  );

  it('that leaves out the answer of a fault fails', async () => {
    const { fault: _fault, ...answers } = echoProbe().answers;
    const groups = conformanceGroups(createEcho().protocol, echoProbe({ answers }));
    for (const { run } of groups.find(({ name }) => name === 'faults')?.cases ?? []) {
      await expect(run()).rejects.toThrow('answers.fault');
    }
  });
});

describe('a kind without capabilities', () => {
  it('has no groups for them', () => {
    const {
      incidents: _incidents,
      fault: _fault,
      capture: _capture,
      imports: _imports,
      exports: _exports,
      contracts: _contracts,
      streams: _streams,
      ...plain
    } = createEcho().protocol;
    const names = conformanceGroups(plain, echoProbe()).map(({ name }) => name);
    expect(names).toEqual([
      'declaration',
      'lifecycle',
      'mocks',
      'journal',
      'delays',
      'functions',
      'connections',
      'toxics',
      'upstream',
      'reset',
      'snapshots',
      'spaces',
      'explain',
      'verify',
      'robustness',
    ]);
  });
});
