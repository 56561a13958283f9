import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  createHost,
  type Host,
  type HostOptions,
  type NewReaction,
  type WebhookAttempt,
} from '../src/index.js';
import { parseCron } from '../src/reactions/cron.js';
import { probe, type Probe } from './support.js';

const START = Date.UTC(2030, 0, 1);

let host: Host;
let first: Probe;
let log: string[];
let published: unknown[];
let attempts: ((attempt: WebhookAttempt) => void)[];

async function start(reactions: readonly NewReaction[] = [], more: Partial<HostOptions> = {}): Promise<void> {
  first = probe('probe');
  Object.assign(first.protocol.mocks, { matching: { fields: ['match'] } });
  const second = probe('other', {
    more: {
      incidents: {
        storm: {
          summary: 'Everything fails.',
          advice: 'It waits.',
          lasts: '10s',
          fields: Type.Object({ text: Type.Optional(Type.String()) }),
          stages: ({ text }: { text?: string }) => [{ fault: { text: text ?? 'storm' } }],
        },
      },
      publish: {
        summary: 'Publishes.',
        schema: Type.Object(
          { topic: Type.String(), size: Type.Optional(Type.Integer()) },
          { additionalProperties: false },
        ),
        examples: [],
        result: Type.Object({}),
      },
      create: () => ({
        start: () => Promise.resolve({ host: '127.0.0.1', port: 1 }),
        stop: () => Promise.resolve(),
        publish: (message: object) => {
          published.push(message);
          return { status: 'published' };
        },
      }),
    },
  });
  log = [];
  published = [];
  attempts = [];
  const webhooks = {
    enabled: true,
    fire: (
      list: readonly { url: { render(scope: unknown): string } }[],
      { scope, mockId }: { scope: unknown; mockId: string },
    ) => void published.push([mockId, ...list.map(({ url }) => url.render(scope))]),
    onAttempt: (listener: (attempt: WebhookAttempt) => void) => {
      attempts.push(listener);
      return () => void (attempts = []);
    },
    reset: () => undefined,
    stop: () => Promise.resolve(),
  };
  host = await createHost({
    seed: 1,
    protocols: [first.protocol, second.protocol, { ...probe('idle').protocol }],
    settings: { probe: { mocks: [{ id: 'a', match: 'a*' }] }, idle: { enabled: false } },
    scenarios: [{ id: 'outage' }],
    reactions,
    webhooks: () => webhooks as never,
    log: ({ text }) => void log.push(text),
    ...more,
  });
  await host.start();
  host.clock.freeze(true);
  await host.clock.setNow(START);
}

beforeEach(() => start());
afterEach(() => host.stop(0));

function send(path: string): void {
  const exchange = first.context().receive({ method: 'ASK', path, remote: '', body: '{"n": 3}' });
  void exchange.resolve();
  exchange.done({ status: 200 });
}

const runs = (id: string): number => host.reactions.get(id).runs;

it('does what it says when a message comes that it is for, after its delay', async () => {
  await host.reactions.create({
    id: 'r',
    on: { probe: { mock: 'a', match: 'ab' } },
    do: [
      { after: '5s', other: { topic: 'got {{request.path}}', size: '{{request.body.n}}' } },
      { state: { 'last-{{request.body.n}}': '{{request.path}}' } },
      { scenario: { activate: 'outage' } },
      { fault: { other: { text: '{{request.path}}' } } },
      { other: { webhook: { url: 'http://localhost/{{request.path}}' } } },
    ],
  });
  send('ab');
  send('ac');
  expect(published).toEqual([]);
  await host.clock.advance(4_999);
  expect(host.state.all()).toEqual({ 'last-3': 'ab' });
  expect(host.scenarios.active().map(({ id }) => id)).toEqual(['outage']);
  expect(host.faults.get('other')).toEqual({ text: 'ab' });
  expect(published).toEqual([['r', 'http://localhost/ab']]);
  await host.clock.advance(1);
  expect(published.at(-1)).toEqual({ topic: 'got ab', size: 3 });
  expect(host.reactions.get('r')).toMatchObject({ runs: 1 });
});

it('begins and ends incidents, which are checked when it is made', async () => {
  await host.reactions.create({
    id: 'begin',
    on: { probe: { match: 'a*' } },
    do: [
      { incident: { start: 'other-storm', fields: { for: '30s', text: '{{request.path}}' } } },
      { after: '20s', incident: { stop: 'other-storm' } },
    ],
  });
  send('ab');
  await host.clock.advance(1_000);
  expect(host.incidents.get('other-storm').running).toMatchObject({ fields: { text: 'ab' } });
  expect(host.faults.effective('other')).toMatchObject({ text: 'ab' });
  await host.clock.advance(20_000);
  expect(host.incidents.get('other-storm').running).toBeUndefined();
  const refused = (incident: object): Promise<unknown> =>
    host.reactions.create({ on: { every: '1s' }, do: [{ incident }] });
  for (const [incident, path, message] of [
    [{ start: 'nothing' }, '/do/0/incident/start', 'no incident "nothing"; there are other-storm'],
    [{ stop: 'nothing' }, '/do/0/incident/stop', 'no incident "nothing"'],
    [{ start: 'other-storm', fields: { for: 'soon' } }, '/do/0/incident/fields/for', 'soon'],
    [{ start: 'other-storm', fields: { wind: 1 } }, '/do/0/incident/fields/wind', 'unknown'],
    [{ stop: 'other-storm', fields: {} }, '/do/0/incident/fields', 'name it by start'],
    [{}, '/do/0/incident', 'fewer than 1'],
  ] as const)
    await expect(refused(incident)).rejects.toMatchObject({
      details: [{ path, message: expect.stringContaining(message) }],
    });
  // What has templates is checked when it begins, and is a line of the log.
  await host.reactions.create({
    id: 'late',
    on: { every: '1s' },
    times: 1,
    do: [{ incident: { start: 'other-storm', fields: { for: '{{request.method}}' } } }],
  });
  await host.clock.advance(1_000);
  expect(host.reactions.get('late').last_error).toContain('other-storm/for');
});

it('of a scenario do not begin once it has ended, and one that somebody else has begun goes on', async () => {
  const isRunning = (): boolean => host.incidents.get('other-storm').running !== undefined;
  const incidents = { 'other-storm': { for: '1h', text: 'one' } };
  host.scenarios.create({ id: 'storm', incidents });
  host.scenarios.activate('storm');
  host.scenarios.deactivate('storm');
  await new Promise(setImmediate);
  expect(isRunning()).toBe(false);
  host.scenarios.activate('storm');
  host.reset();
  await new Promise(setImmediate);
  expect(isRunning()).toBe(false);
  host.scenarios.create({ id: 'storm', incidents });
  await host.scenarios.inSlices.activate('storm');
  await host.incidents.start('other-storm', { for: '1h', text: 'two' });
  host.scenarios.deactivate('storm');
  expect(host.incidents.get('other-storm').running).toMatchObject({ fields: { text: 'two' } });
  host.incidents.stop('other-storm');
});

it('of a scenario begin with it, and end with it', async () => {
  const runs = (): unknown => host.incidents.get('other-storm').running?.fields;
  const incidents = { 'other-storm': { for: '1h', text: 'one' } };
  host.scenarios.create({ id: 'storm', incidents });
  expect(runs()).toBeUndefined();
  await host.scenarios.inSlices.activate('storm');
  expect(runs()).toEqual({ text: 'one' });
  expect(host.troubles()).toMatchObject([{ source: 'incident', id: 'other-storm', protocol: 'other' }]);
  await host.scenarios.inSlices.replace('storm', { incidents: { 'other-storm': { text: 'two' } } });
  expect(runs()).toEqual({ text: 'two' });
  // Another that names it keeps it.
  host.scenarios.create({ id: 'also', incidents });
  await host.scenarios.inSlices.activate('also');
  expect(runs()).toEqual({ text: 'one' });
  await host.scenarios.inSlices.deactivate('storm');
  expect(runs()).toEqual({ text: 'one' });
  const { id } = host.snapshots.create();
  host.scenarios.deactivate('also');
  expect(runs()).toBeUndefined();
  host.snapshots.restore(id);
  await new Promise(setImmediate);
  expect(runs()).toEqual({ text: 'one' });
  host.reset();
  expect(runs()).toBeUndefined();
  // What ends by itself does not begin again; the scenario stays active.
  host.clock.freeze(true);
  host.scenarios.create({ id: 'brief', incidents: { 'other-storm': { for: '5s' } } });
  await host.scenarios.inSlices.activate('brief');
  await host.clock.advance(5_000);
  expect(runs()).toBeUndefined();
  expect(host.scenarios.get('brief').active).toBe(true);
  for (const [incident, path, message] of [
    [{ nothing: {} }, '/incidents/nothing', 'no incident "nothing"; there are other-storm'],
    [{ 'other-storm': { for: 'soon' } }, '/incidents/other-storm/for', 'soon'],
    [{ 'other-storm': { wind: 1 } }, '/incidents/other-storm/wind', 'unknown'],
    [{ 'other-storm': 5 }, '/incidents/other-storm', 'object'],
  ] as const)
    await expect(host.scenarios.inSlices.create({ incidents: incident as never })).rejects.toMatchObject({
      details: [{ path, message: expect.stringContaining(message) }],
    });
});

it('of an active scenario of the settings begin with the host, and in each space', async () => {
  await start([], {
    scenarios: [{ id: 'storm', active: true, incidents: { 'other-storm': { for: '80000h' } } }],
  });
  expect(host.incidents.get('other-storm').running).toBeDefined();
  const space = await host.spaces.create({ id: 't1' });
  expect(space.host.incidents.get('other-storm').running).toBeDefined();
  space.host.scenarios.deactivate('storm');
  expect(space.host.incidents.get('other-storm').running).toBeUndefined();
  expect(host.incidents.get('other-storm').running).toBeDefined();
  await expect(start([], { scenarios: [{ id: 'storm', incidents: { 'no-storm': {} } }] })).rejects.toThrow(
    '/scenarios/0/incidents/no-storm',
  );
});

it('follows the state, faults, webhooks and the time', async () => {
  const act = [{ state: { seen: '{{request.method}} {{request.path}}' } }];
  const made: NewReaction[] = [
    {
      id: 'state',
      on: { state: { key: 'mode', value: 'n*' } },
      do: [{ state: { mode: null, was: '{{request.value}}' } }],
    },
    { id: 'fault', on: { fault: 'probe' }, do: act },
    { id: 'webhook', on: { webhook: { mock: 'pay', status: '5*' } }, do: act },
    { id: 'failed', on: { webhook: { status: 'failed' } }, do: act },
    { id: 'every', on: { every: '1h' }, do: [{ other: { topic: '{{request.time}}' } }], times: 2 },
    { id: 'at', on: { at: '2030-01-01T00:30:00Z' }, do: act },
    { id: 'past', on: { at: '2029-01-01T00:30:00Z' }, do: act },
    { id: 'cron', on: { cron: '*/20 * * * *' }, do: act },
    { id: 'off', on: { every: '1m' }, do: act, enabled: false },
  ];
  for (const reaction of made) await host.reactions.create(reaction);
  host.state.setAll({ mode: 'night', other: 'x' });
  host.state.setAll({ mode: 'day' });
  host.faults.set('probe', {});
  host.faults.clear('probe');
  const attempt = { mock_id: 'pay', url: 'http://x', method: 'POST', status_code: 503 } as WebhookAttempt;
  for (const listener of attempts) listener(attempt);
  for (const listener of attempts) listener({ ...attempt, status_code: 200 });
  for (const listener of attempts) listener({ ...attempt, status_code: undefined as never, error: 'gone' });
  await host.clock.advance(3 * 3_600_000);
  expect(Object.fromEntries(host.reactions.list().map((each) => [each.id, each.runs]))).toEqual({
    ...{ state: 1, fault: 2, webhook: 1, failed: 1, every: 2, at: 1, past: 0, cron: 9, off: 0 },
  });
  // What it does comes after what has set it off.
  expect(host.state.all()).toEqual({ was: 'night', other: 'x', seen: expect.any(String) });
  expect(published).toEqual([{ topic: '2030-01-01T01:00:00.000Z' }, { topic: '2030-01-01T02:00:00.000Z' }]);
});

it('is bounded where reactions set each other off, and says so', async () => {
  await host.reactions.create({
    id: 'ping',
    on: { state: { key: 'a' } },
    do: [{ state: { b: '{{uuid}}' } }],
  });
  await host.reactions.create({
    id: 'pong',
    on: { state: { key: 'b' } },
    do: [{ state: { a: '{{uuid}}' } }],
  });
  host.state.setAll({ a: '1' });
  await host.clock.advance(1_000);
  expect(runs('ping') + runs('pong')).toBe(16);
  expect(log).toContain('reaction "ping": it is the 17th reaction in a chain, and nothing was done');
});

it('goes on after what fails, and shows what it was', async () => {
  await host.reactions.create({
    id: 'r',
    on: { probe: {} },
    do: [
      { other: { topic: 'x', size: '{{request.path}}' } },
      { scenario: { activate: 'none' } },
      { state: { done: 'yes' } },
    ],
  });
  send('big');
  await host.clock.advance(0);
  expect(host.state.all()).toEqual({ done: 'yes' });
  expect(log[0]).toMatch(/^reaction "r": do 1: no scenario "none"/);
  expect(log[1]).toMatch(/^reaction "r": do 0: .*\/size/);
  expect(host.reactions.get('r').last_error).toMatch(/^do 0: /);
});

it('is there again after a reset and in a snapshot as it was, and what waits is gone', async () => {
  await host.stop(0);
  await start([{ id: 'r', on: { probe: {} }, do: [{ after: '1s', state: { seen: 'yes' } }] }]);
  const { id } = host.snapshots.create();
  send('x');
  host.reactions.remove('r');
  await host.reactions.create({ id: 'new', on: { state: { key: '*' } }, do: [{ other: { topic: 'x' } }] });
  host.reset();
  await host.clock.advance(5_000);
  expect(host.reactions.list()).toEqual([
    { id: 'r', on: { probe: {} }, do: [{ after: '1s', state: { seen: 'yes' } }], runs: 0 },
  ]);
  expect([host.state.all(), published]).toEqual([{}, []]);
  send('x');
  expect(runs('r')).toBe(1);
  host.snapshots.restore(id);
  expect(runs('r')).toBe(0);
  await host.clock.advance(5_000);
  expect(host.state.all()).toEqual({});
  send('x');
  await host.clock.advance(5_000);
  expect(host.state.all()).toEqual({ seen: 'yes' });
});

it('refuses what it does not know, with what would be right', async () => {
  const refused = async (reaction: object): Promise<readonly string[]> => {
    const thrown: unknown = await host.reactions.create(reaction as never).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(thrown).toMatchObject({ code: 'invalid' });
    return (thrown as { details: { path: string; message: string }[] }).details.map(
      ({ path, message }) => `${path} ${message}`,
    );
  };
  const act = [{ state: { a: 'b' } }];
  expect(await refused({ on: { prob: {} }, do: act })).toEqual(
    [
      expect.stringMatching(/^\/on\/prob is no protocol .*did you mean "probe"\?$/),
      expect.stringMatching(/^\/on must have one field/),
    ].slice(0, 1),
  );
  expect(await refused({ on: { probe: { macth: 'x' } }, do: act })).toEqual([
    expect.stringContaining('/on/probe/macth'),
  ]);
  expect(await refused({ on: { every: '1ms' }, do: act })).toEqual([
    '/on/every "1ms" is too short; want 10ms or longer',
  ]);
  expect(await refused({ on: { cron: '* * *' }, do: act })).toEqual([
    expect.stringMatching(/^\/on\/cron "\* \* \*" has 3 fields, want five/),
  ]);
  expect(await refused({ on: { at: 'soon' }, do: act })).toEqual([
    expect.stringContaining('/on/at "soon" is no time'),
  ]);
  expect(await refused({ on: { fault: 'none' }, do: act })).toEqual([
    '/on/fault "none" is no protocol with faults',
  ]);
  expect(
    await refused({
      on: { probe: {} },
      do: [
        { oter: {} },
        { idle: {} },
        { other: { topik: 'x' } },
        { after: '2h', other: { topic: 'x' } },
        { after: '1s' },
      ],
    }),
  ).toEqual([
    expect.stringMatching(/^\/do\/0\/oter is no protocol that is installed; .*did you mean "other"\?$/),
    '/do/1/idle idle is not enabled, so that it can send nothing',
    expect.stringContaining('/do/2/other'),
    expect.stringContaining('/do/2/other/topik'),
    '/do/3/after "2h" is too long; at most 1h',
    '/do/4 must have one field that says what is done, got none',
  ]);
  expect(await refused({ on: { probe: {} }, do: [{ other: { topic: '{{#x}}' } }] })).toHaveLength(1);
  await host.reactions.create({ id: 'r', on: { probe: {} }, do: act });
  await expect(host.reactions.create({ id: 'r', on: { probe: {} }, do: act })).rejects.toMatchObject({
    code: 'conflict',
  });
  await expect(host.reactions.replace('none', { on: { probe: {} }, do: act })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect((await host.reactions.replace('r', { on: { every: '5s' }, do: act })).id).toBe('r');
});

it('is a problem of the settings when it is not valid', async () => {
  const made = createHost({
    protocols: [probe('probe').protocol],
    reactions: [{ on: { every: 'soon' }, do: [{ state: {} }] }],
  });
  await expect(made).rejects.toMatchObject({ details: [{ path: '/reactions/0/on/every' }] });
});

it('makes a kind send something', async () => {
  expect(await host.emit('other', { topic: 'x' })).toEqual({ status: 'published' });
  expect(await host.emit('probe', { to: 'a', data: 'x' })).toEqual({ status: 'pushed', delivered: 0 });
  await expect(host.emit('other', { topik: 'x' })).rejects.toMatchObject({ code: 'invalid' });
  await expect(host.emit('none', {})).rejects.toMatchObject({ code: 'not_found' });
  await expect(host.emit('idle', { to: 'a', data: 'x' })).rejects.toMatchObject({ code: 'not_enabled' });
});

it.each([
  ['0 12 * * *', ['2030-01-01T12:00', '2030-01-02T12:00']],
  ['30 8-9 * * 1-5', ['2030-01-01T08:30', '2030-01-01T09:30', '2030-01-02T08:30']],
  ['0 0 29 2 *', ['2032-02-29T00:00', '2036-02-29T00:00']],
  ['0 0 13 * 5', ['2030-01-04T00:00', '2030-01-11T00:00', '2030-01-13T00:00']],
  ['5/20 0 1 1 7', ['2030-01-01T00:05', '2030-01-01T00:25', '2030-01-01T00:45', '2030-01-06T00:05']],
  ['0 0 31 4 *', [undefined]],
])('the cron expression %s comes when crontab(5) says', (text, times) => {
  const cron = parseCron(text);
  let last = START;
  for (const time of times) {
    const next = cron.next(last);
    expect(next === undefined ? undefined : new Date(next).toISOString().slice(0, 16)).toBe(time);
    last = next ?? last;
  }
});

it.each(['60 * * * *', '* * 0 * *', '*/0 * * * *', '1-0 * * * *', 'x * * * *', '* * * * MON'])(
  'the cron expression %s is refused',
  (text) => {
    expect(() => parseCron(text)).toThrow(/want/);
  },
);
