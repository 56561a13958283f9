import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, findWarnings, type Host, type HostOptions } from '../src/index.js';
import { message, probe, startProbe, type Probe } from './support.js';

let running: Host | undefined;
afterEach(async () => {
  await running?.stop(0);
  running = undefined;
});

async function start(
  mocks: readonly object[],
  options: Partial<HostOptions> = {},
): Promise<Awaited<ReturnType<typeof startProbe>> & { readonly lines: string[] }> {
  const lines: string[] = [];
  const log: HostOptions['log'] = ({ level, text }) => void lines.push(`${level}: ${text}`);
  const started = await startProbe({ mocks }, { log, ...options });
  running = started.host;
  return { ...started, lines };
}

/** Opens a stream, and gives what is pushed into it. */
function open(
  made: Probe,
  mockId: string,
): { readonly pushed: unknown[]; readonly id: string; closed(): void } {
  const pushed: unknown[] = [];
  const stream = made.context().streams.open(mockId, {
    push: (data: unknown) => void pushed.push(data),
    close: () => undefined,
  });
  return { ...stream, pushed };
}

/** What is pushed shares the turns of the loop with all other work: it may come some turns later. */
async function turnsUntil(condition: () => boolean): Promise<number> {
  let turns = 0;
  for (; !condition() && turns < 100_000; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return turns;
}

describe('a mock that emits', () => {
  const feed = { id: 'feed', match: 'feed' };

  it('pushes into the streams of a mock, or into one stream, with rendered data', async () => {
    const { probe: made, ask } = await start([
      feed,
      {
        id: 'm',
        match: 'x',
        emit: [
          { to: 'probe/feed', data: 'one {{request.body}}' },
          { to: 'probe/{{request.method}}', data: '{{request.body}}' },
        ],
      },
    ]);
    const first = open(made, 'feed');
    const second = open(made, 'feed');
    const other = open(made, 'other');
    await ask('x', { body: 'hello', method: other.id });
    await turnsUntil(() => other.pushed.length === 1);
    expect([first.pushed, second.pushed, other.pushed]).toEqual([['one hello'], ['one hello'], ['hello']]);
    second.closed();
    await ask('x', { body: 'again', method: 'nobody' });
    await turnsUntil(() => first.pushed.length === 2);
    expect([first.pushed, second.pushed, other.pushed]).toEqual([
      ['one hello', 'one again'],
      ['one hello'],
      ['hello'],
    ]);
  });

  it('does so after a delay by the virtual clock, each from the match on', async () => {
    const emit = [
      { to: 'probe/feed', data: 'late {{request.body}}', delay: '2s' },
      { to: 'probe/feed', data: 'soon', delay: '1s' },
      { to: 'probe/feed', data: 'now' },
    ];
    const { host, probe: made, ask } = await start([feed, { match: 'x', emit }]);
    host.clock.freeze(true);
    const { pushed } = open(made, 'feed');
    await ask('x', { body: 'a' });
    await turnsUntil(() => pushed.length === 1);
    expect(pushed).toEqual(['now']);
    await host.clock.advance(1000);
    await turnsUntil(() => pushed.length === 2);
    expect(pushed).toEqual(['now', 'soon']);
    await host.clock.advance(1000);
    await turnsUntil(() => pushed.length === 3);
    expect(pushed).toEqual(['now', 'soon', 'late a']);
  });

  it('drops what waits with a reset, and pushes nothing while a fault fires', async () => {
    const {
      host,
      probe: made,
      ask,
    } = await start([
      feed,
      {
        match: 'x',
        emit: [
          { to: 'probe/feed', data: 'a' },
          { to: 'probe/feed', data: 'b', delay: '1s' },
        ],
      },
    ]);
    const { pushed } = open(made, 'feed');
    host.faults.set('probe', {});
    await ask('x');
    host.faults.clear('probe');
    await ask('x');
    await turnsUntil(() => pushed.length > 0);
    host.reset();
    await host.clock.advance(5000);
    expect(pushed).toEqual(['a']);
  });

  it('works for kinds whose matches all answer, and for those that read their mocks', async () => {
    const made = probe('probe', { mode: 'all' });
    const { host } = await startProbe(
      { mocks: [feed, ...[1, 2].map((n) => ({ match: 'x', emit: [{ to: 'probe/feed', data: `${n}` }] }))] },
      {},
      made,
    );
    running = host;
    const { pushed } = open(made, 'feed');
    await made.context().receive(message('x')).resolve();
    await turnsUntil(() => pushed.length === 2);
    expect(pushed).toEqual(['1', '2']);
  });

  it('says in the log what cannot be pushed, and answers all the same', async () => {
    const {
      probe: made,
      ask,
      lines,
    } = await start([
      { id: 'feed', match: 'feed' },
      {
        id: 'm',
        match: 'x',
        answer: 'fine',
        emit: [
          { to: '{{request.body}}', data: 'a' },
          { to: 'other{{request.path}}/x', data: 'a' },
          { to: 'probe/feed', data: '{{request.path_params}}{{length request.none}}' },
          { to: 'probe/feed', data: { no: '{{request.body}}' } },
          { to: 'probe/feed', data: 'last' },
        ],
      },
    ]);
    made.context().streams.open('feed', {
      push: () => {
        throw new Error('does not fit');
      },
      close: () => undefined,
    });
    const { pushed } = open(made, 'feed');
    expect(await ask('x', { body: 'nowhere' })).toBe('fine');
    // The last line comes behind the last push: its streams are gone through first.
    await turnsUntil(() => lines.length === 5);
    expect(pushed.at(-1)).toBe('last');
    expect(lines).toEqual([
      'warn: emit 0 of mock "m" was not pushed: to must name a protocol and a mock, such as "http/pods-watch", got "nowhere"',
      'warn: emit 1 of mock "m" was not pushed into otherx/x: protocol "otherx" has no streams; those that have are probe',
      'warn: emit 2 of mock "m" was not pushed into probe/feed: does not fit',
      expect.stringMatching(
        '^warn: emit 3 of mock "m" was not pushed into probe/feed: data for probe must be',
      ),
      'warn: emit 4 of mock "m" was not pushed into probe/feed: does not fit',
    ]);
  });

  it('lets others in while many streams are open, and keeps the order', async () => {
    const { probe: made, ask } = await start([
      feed,
      { match: 'x', emit: [{ to: 'probe/feed', data: '{{request.body}}' }] },
    ]);
    const streams = 200;
    const all: unknown[][] = [];
    for (let n = 0; n < streams; n += 1) {
      const pushed: unknown[] = [];
      all.push(pushed);
      made.context().streams.open('feed', {
        push(data: unknown) {
          const end = performance.now() + 0.5;
          while (performance.now() < end);
          pushed.push(data);
        },
        close: () => undefined,
      });
    }
    await ask('x', { body: 'a' });
    await ask('x', { body: 'b' });
    expect(all.at(-1)).toEqual([]);
    expect(await turnsUntil(() => all.at(-1)?.length === 2)).toBeGreaterThan(2);
    for (const pushed of all) expect(pushed).toEqual(['a', 'b']);
  });

  it('bounds what waits', async () => {
    const {
      host,
      probe: made,
      ask,
      lines,
    } = await start([
      feed,
      {
        match: 'many',
        emit: Array.from({ length: 100 }, () => ({ to: 'probe/feed', data: 'a', delay: '1s' })),
      },
      { match: 'big', emit: [{ to: 'probe/feed', data: '{{request.body}}', delay: '1s' }] },
    ]);
    host.clock.freeze(true);
    const { pushed } = open(made, 'feed');
    for (let n = 0; n < 101; n += 1) await ask('many');
    expect(lines).toHaveLength(100);
    expect(lines[0]).toContain('10000 pushes wait already');
    await host.clock.advance(1000);
    await turnsUntil(() => pushed.length === 10_000);
    expect(pushed).toHaveLength(10_000);
    lines.length = 0;
    const body = 'x'.repeat(10 * 1024 * 1024);
    for (let n = 0; n < 8; n += 1) await ask('big', { body });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('hold more than 64 MiB');
    await host.clock.advance(1000);
    lines.length = 0;
    await ask('big', { body });
    expect(lines).toEqual([]);
  });

  it('is refused when it cannot be meant', async () => {
    const options = (emit: unknown): HostOptions => ({
      protocols: [probe().protocol],
      settings: { probe: { mocks: [{ match: 'x', emit }] } },
    });
    const bad = [
      [{ to: 'feed', data: 'a' }],
      [{ to: '/feed', data: 'a' }],
      [{ to: 'probe/feed' }],
      [{ to: 'probe/feed', data: 'a', delay: 'soon' }],
      [{ to: 'probe/feed', data: 'a', wait: '1s' }],
      Array.from({ length: 101 }, () => ({ to: 'probe/feed', data: 'a' })),
    ];
    for (const emit of bad) await expect(createHost(options(emit))).rejects.toThrow('emit');
  });

  it('is warned of when nobody can get it', async () => {
    const emit = [
      { to: 'probe/fed', data: 'a' },
      { to: 'nowhere/feed', data: 'a' },
      { to: 'silent/feed', data: 'a' },
      { to: 'off/feed', data: 'a' },
      { to: 'probe/feed', data: { n: 1 } },
      { to: 'probe/feed', data: '{{request.body}}' },
      { to: '{{request.body}}/x', data: 1 },
    ];
    const lines: string[] = [];
    const options = {
      protocols: [
        probe().protocol,
        probe('silent', { more: { streams: undefined } }).protocol,
        probe('off').protocol,
      ],
      settings: { probe: { mocks: [feed, { id: 'm', match: 'x', emit }] }, off: { enabled: false } },
    };
    const warnings = [
      [
        '0/to',
        'there is no mock "fed" of probe; nothing is pushed there until there is one; did you mean "probe/feed"?',
      ],
      ['1/to', 'protocol "nowhere" has no streams; those that have are probe, off'],
      ['2/to', 'protocol "silent" has no streams; those that have are probe, off'],
      ['3/to', 'off is not enabled, so that nothing can be pushed there'],
      ['4/data', 'must be a string, got an object; probe does not take it'],
    ];
    expect(findWarnings(options)).toEqual(
      warnings.map(([place, text]) => ({
        path: `/settings/probe/mocks/1/emit/${place ?? ''}`,
        message: text,
      })),
    );
    const host = await createHost({ ...options, log: ({ text }) => void lines.push(text) });
    running = host;
    await host.start();
    expect(lines).toEqual(warnings.map(([place, text]) => `mock "m": /emit/${place ?? ''}: ${text ?? ''}`));
  });
});
