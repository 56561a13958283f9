import { afterEach, expect, it } from '@jest/globals';
import { createHost, type Host, type JournalEntry } from '../src/index.js';
import type { Message, Outcome } from '../src/plugin.js';
import { probe } from './support.js';

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

async function start(
  mocks: readonly object[],
): Promise<{ host: Host; ask(message?: Partial<Message>): Promise<JournalEntry> }> {
  const made = probe();
  const host = await createHost({
    seed: 1,
    protocols: [made.protocol],
    settings: { probe: { mocks } },
  });
  hosts.push(host);
  await host.start();
  host.clock.freeze(true);
  return {
    host,
    async ask(message = {}) {
      const exchange = made.context().receive({ method: 'GET', path: 'a', remote: '', ...message });
      const outcome: Outcome | Promise<Outcome> = exchange.resolve();
      await host.clock.advance(60_000);
      await outcome;
      exchange.done();
      const [entry] = host.journal.list().slice(-1);
      if (entry === undefined) throw new Error('there is no entry');
      return entry;
    },
  };
}

it('keeps for how long mocks and faults have delayed an answer, apart', async () => {
  const { host, ask } = await start([
    { id: 'slow', match: 'a', delay: '250ms' },
    { id: 'quick', match: 'b' },
  ]);
  expect((await ask()).delays).toEqual({ mock_ms: 250 });
  expect(await ask({ path: 'b' })).not.toHaveProperty('delays');
  host.faults.set('probe', { delay: '1s', error_rate: 0 });
  expect((await ask()).delays).toEqual({ mock_ms: 250, fault_ms: 1000 });
  expect((await ask({ path: 'x' })).delays).toEqual({ fault_ms: 1000 });
  // One of a large message is kept as well, whose parts are read before it is cut.
  expect((await ask({ body: 'x'.repeat(5000) })).delays).toEqual({ mock_ms: 250, fault_ms: 1000 });
});

it('says that a message has missed a mock, also where there is none', async () => {
  const { ask } = await start([]);
  const entry = await ask();
  expect(entry).toMatchObject({ unmatched: true, missed: true });
  expect(entry).not.toHaveProperty('near_misses');
  const { ask: matched } = await start([{ id: 'a', match: 'a' }]);
  expect(await matched()).not.toHaveProperty('missed');
});

it.each([
  [`00-${TRACE}-00f067aa0ba902b7-01`, TRACE],
  [`cc-${TRACE}-00f067aa0ba902b7-01-what-comes`, TRACE],
  [`ff-${TRACE}-00f067aa0ba902b7-01`, undefined],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE}-00f067aa0ba902b7-01x`, undefined],
  ['', undefined],
])('reads the trace of %p', async (traceparent, trace) => {
  const { ask } = await start([]);
  expect((await ask({ headers: { traceparent } })).trace).toBe(trace);
});
