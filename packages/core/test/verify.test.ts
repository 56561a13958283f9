import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createHost, type Check, type Host, type Verdict } from '../src/index.js';
import { probe, type Probe } from './support.js';

let host: Host;
const first: Probe = probe('probe', { more: {} });
const second: Probe = probe('other');
const idle: Probe = probe('idle');

beforeEach(async () => {
  const matching = { fields: ['match'] };
  for (const made of [first, second]) Object.assign(made.protocol.mocks, { matching });
  host = await createHost({
    seed: 1,
    protocols: [first.protocol, second.protocol, idle.protocol],
    settings: { probe: { mocks: [{ id: 'a', match: 'a*' }] }, idle: { enabled: false } },
  });
  await host.start();
});

afterEach(() => host.stop(0));

function send(path: string, made: Probe = first): void {
  const exchange = made.context().receive({ method: 'ASK', path, remote: '127.0.0.1:1' });
  void exchange.resolve();
  exchange.done({ status: 200 });
}

const verify = (check: object): Promise<Verdict> => host.verify(check as Check);
const problems = ({ expectations }: Verdict): unknown[] => expectations.map(({ problem }) => problem);

it('finds what has come, by the fields of mocks and by those of all kinds', async () => {
  send('ab');
  send('x');
  const verdict = await verify({
    expect: [
      { probe: { match: 'a*' }, times: 1 },
      { probe: { mock: 'a' } },
      { probe: { unmatched: true } },
      { probe: { unmatched: false, status: '2*' } },
      { probe: {}, times: 2 },
      { other: {}, times: 0 },
      { probe: { match: 'y' }, times: { max: 1 } },
    ],
  });
  expect(problems(verdict)).toEqual(Array(7).fill(undefined));
  expect(verdict).toMatchObject({ verified: true, looked_at: 2 });
  expect(verdict.expectations.map(({ ids }) => ids)).toEqual([
    ['1'],
    ['1'],
    ['2'],
    ['1'],
    ['1', '2'],
    [],
    [],
  ]);
});

it('calls only that unmatched which the kind has not answered by itself', async () => {
  const exchange = first.context().receive({ method: 'ASK', path: 'x', remote: '127.0.0.1:1' });
  void exchange.resolve();
  exchange.answeredFromData();
  exchange.done({ status: 200 });
  const verdict = await verify({ expect: [{ probe: { unmatched: true } }, { probe: { unmatched: false } }] });
  expect(verdict.expectations).toMatchObject([
    { verified: false, nearest: [{ reason: 'probe answered it by itself' }] },
    { verified: false, nearest: [{ reason: 'no mock matched it' }] },
  ]);
});

it('says what is wrong, and which messages come nearest', async () => {
  send('order-1');
  send('hello');
  const verdict = await verify({
    expect: [
      { probe: { match: 'order-2' }, name: 'order' },
      { probe: {}, times: 1 },
    ],
  });
  expect(verdict.verified).toBe(false);
  expect(verdict.expectations[0]).toEqual({
    verified: false,
    protocol: 'probe',
    name: 'order',
    count: 0,
    ids: [],
    problem: 'got 0 messages, want at least 1',
    nearest: [
      { id: '1', method: 'ASK', path: 'order-1', reason: 'path: got "order-1", want "order-2"' },
      { id: '2', method: 'ASK', path: 'hello', reason: 'path: got "hello", want "order-2"' },
    ],
  });
  expect(verdict.expectations[1]).toMatchObject({ problem: 'got 2 messages, want exactly 1' });
});

it('keeps to the order of the list when it is strict', async () => {
  for (const path of ['a', 'b', 'c', 'a']) send(path);
  const inOrder = [{ probe: { match: 'a' } }, { probe: { match: 'c' } }, { probe: { match: 'a' } }];
  expect(await verify({ order: 'strict', expect: inOrder })).toMatchObject({ verified: true });
  const exactly = inOrder.map((each) => ({ ...each, times: 1 }));
  expect(await verify({ order: 'strict', expect: exactly })).toMatchObject({ verified: true });
  const wrong = await verify({
    order: 'strict',
    expect: [{ probe: { match: 'c' } }, { probe: { match: 'b' } }],
  });
  expect(problems(wrong)).toEqual([
    undefined,
    'out of order: 1 more must come after log entry 3, where those before it in the list end',
  ]);
});

it('knows before, apart, and that there must be nothing else', async () => {
  host.clock.freeze(true);
  send('a');
  await host.clock.advance(2_000);
  send('b', second);
  await host.clock.advance(500);
  send('a');
  const expected = (apart: object, before?: string): object => ({
    expect: [
      { probe: { match: 'a' }, apart, ...(before === undefined ? {} : { before }) },
      { other: { match: 'b' }, name: 'b' },
    ],
  });
  expect(await verify(expected({ min: '2s', max: '3s' }))).toMatchObject({ verified: true });
  expect(problems(await verify(expected({ max: '1s' })))[0]).toBe(
    'log entry 3 came 2.5s after 1, want at most 1s',
  );
  expect(problems(await verify(expected({ min: '1s', from: 'b' })))[0]).toBe(
    'log entry 1 has no message of "b" before it',
  );
  expect(problems(await verify(expected({}, 'b')))[0]).toBe(
    'log entry 3 came after log entry 2 of "b", want all of them before',
  );
  expect(await verify({ expect: [{ other: { match: 'b' } }], nothing_else: ['probe'] })).toMatchObject({
    verified: false,
    unexpected: [
      { id: '1', method: 'ASK', path: 'a' },
      { id: '3', method: 'ASK', path: 'a' },
    ],
    unexpected_count: 2,
  });
  expect(await verify({ expect: [{ probe: { match: 'a' }, times: 1 }], after: '1' })).toMatchObject({
    verified: true,
  });
});

it('waits for what is to come, and ends at once when nothing can mend it', async () => {
  const waiting = verify({ expect: [{ probe: { match: 'late' }, times: 2 }], within: '5m' });
  send('late');
  send('late');
  expect(await waiting).toMatchObject({ verified: true });
  const never = verify({ expect: [{ probe: { match: 'never' }, times: 0 }], within: '5m' });
  send('never');
  expect(problems(await never)).toEqual(['got 1 message, want none']);
  const staying = verify({ expect: [{ probe: { match: 'late' }, times: 2 }], stays: '5m' });
  send('late');
  expect(problems(await staying)).toEqual(['got 3 messages, want exactly 2']);
  expect(
    await verify({ expect: [{ probe: { match: 'x' }, times: 0 }], within: '1ms', stays: '1ms' }),
  ).toMatchObject({
    verified: true,
  });
  expect(await verify({ expect: [{ probe: { match: 'x' } }], within: '1ms' })).toMatchObject({
    verified: false,
  });
});

it('looks again at a message when it ends', async () => {
  const exchange = first.context().receive({ method: 'ASK', path: 'slow', remote: '' });
  void exchange.resolve();
  exchange.started({});
  const waiting = verify({
    expect: [{ probe: { match: 'slow', status: '200' } }],
    within: '5m',
    nothing_else: ['probe'],
  });
  exchange.done({ status: 200 });
  expect(await waiting).toMatchObject({ verified: true, looked_at: 1 });
});

it('gives up when a reset comes, or who asked has left', async () => {
  const waiting = verify({ expect: [{ probe: { match: 'x' } }], within: '5m' });
  const ended = expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  // The check is made ready first.
  await new Promise((resolve) => void setImmediate(resolve));
  host.reset();
  await ended;
  const left = new AbortController();
  const second = host.verify({ expect: [{ probe: { match: 'x' } }], within: '5m' }, left.signal);
  left.abort();
  await expect(second).rejects.toMatchObject({ code: 'cancelled' });
});

it('refuses what is no check, with what would be right', async () => {
  const refused = async (check: object): Promise<readonly string[]> => {
    const thrown: unknown = await verify(check).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(thrown).toMatchObject({ code: 'invalid' });
    return (thrown as { details: { path: string; message: string }[] }).details.map(
      ({ path, message }) => `${path} ${message}`,
    );
  };
  expect(await refused({ expect: [] })).toHaveLength(1);
  expect(await refused({ expect: [{ prob: {} }] })).toEqual([
    '/expect/0/prob is no protocol that is installed; those are probe, other, idle, and span for spans of applications; did you mean "probe"?',
  ]);
  expect(await refused({ expect: [{ times: 1 }, { probe: {}, other: {} }] })).toEqual([
    '/expect/0 must have one field that is called as a protocol is, got none',
    '/expect/1 must have one field that is called as a protocol is, got probe, other',
  ]);
  expect(await refused({ expect: [{ probe: { macth: 'a' } }] })).toEqual([
    expect.stringContaining('/expect/0/probe/macth'),
  ]);
  expect(await refused({ expect: [{ probe: { match: 're:(' } }] })).toEqual([
    expect.stringContaining('/expect/0/probe/match'),
  ]);
  expect(await refused({ expect: [{ idle: {} }] })).toEqual([
    '/expect/0/idle idle is not enabled, so that no message of it is there',
  ]);
  expect(
    await refused({
      expect: [{ probe: {}, times: { min: 2, max: 1 }, before: 'x', apart: { min: 'soon' } }],
      nothing_else: ['othr'],
      within: 'now',
    }),
  ).toEqual([
    '/expect/0/times min 2 must not be more than max 1',
    expect.stringContaining('/expect/0/apart/min'),
    '/nothing_else/0 "othr" is no protocol that is installed; did you mean "other"?',
    '/expect/0/before no expectation is called "x"; none has a name',
    expect.stringContaining('/within'),
  ]);
});
