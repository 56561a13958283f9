import type { JournalEntry } from '@backlot/core';
import { check, checkEqual, checkRefused, eventually, settle, show, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Longer than it takes on any machine, in ms: the stage ends the wait. */
const LONG = 60_000;

/** What is counted and logged. */
export function journalCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { kind } = protocol;
  const on = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCase => ({
    name,
    run: () => onStage(subject, run),
  });
  return [
    on('shows one entry per message, and counts it once', async (stage) => {
      stage.add('simple');
      stage.add('other');
      for (const message of ['simple', 'other', 'simple'] as const) await stage.ask(message);
      await logged(stage, 3);
      const entries = entriesOf(stage);
      checkEqual(
        'matched_id',
        entries.map((entry) => entry['matched_id']),
        ['simple', 'other', 'simple'],
      );
      const [first] = entries;
      checkEqual('protocol', first?.protocol, kind);
      checkEqual('method', first?.['method'], probe.logged.method);
      if (probe.logged.path !== undefined) checkEqual('path', first?.['path'], probe.logged.path);
      check(
        /^(.+):\d+$/.test(String(first?.['remote'])),
        `remote must be the client as address:port, got ${show(first?.['remote'])}`,
      );
      check(
        Number(first?.['duration_ms']) >= 0,
        `duration_ms must be a number, got ${show(first?.['duration_ms'])}`,
      );
      checkEqual('fault', first?.['fault'], undefined);
      checkEqual('aborted', first?.['aborted'], undefined);
      checkEqual('the calls of "simple"', stage.kind.calls.of('simple').count, 2);
      checkEqual('the calls of "other"', stage.kind.calls.of('other').count, 1);
      checkEqual('the entries of "simple"', stage.host.journal.count({ matchedId: 'simple' }).count, 2);
      checkEqual('the mocks that were never called', stage.kind.mocks.listUnused(), []);
    }),
    on('shows a message that no mock matches, and why', async (stage) => {
      stage.add('simple');
      const client = await stage.connect();
      client.send('unmatched').catch(() => undefined);
      await logged(stage, 1);
      const [entry] = stage.host.journal.list({ unmatched: true }).filter(isMessage);
      checkEqual('matched_id', entry?.['matched_id'], undefined);
      checkEqual('the calls of "simple"', stage.kind.calls.of('simple').count, 0);
      if (protocol.mocks.mode === 'items') return;
      const isQuiet = protocol.mocks.quietWhenUnmatched === true;
      const misses = entry?.['near_misses'];
      checkEqual(
        'the near misses',
        misses?.map((miss) => miss.mock_id),
        isQuiet ? undefined : ['simple'],
      );
      for (const { reason } of misses ?? [])
        check(reason.trim() !== '', 'a near miss must say why, its reason is empty');
    }),
    on('wakes who waits for a call as soon as the mock is matched', async (stage) => {
      // Without a match before the delay there is nothing to wake anybody for.
      if (protocol.mocks.mode === 'items') stage.add('simple');
      else stage.add('simple', { delay: '1h' });
      const waiting = stage.kind.calls.wait('simple', 1, LONG);
      waiting.catch(() => undefined);
      await stage.askLater();
      const called = await within(stage.timeout, 'the wait for a call', waiting);
      checkEqual('the count', called.count, 1);
      checkEqual(
        'the calls',
        called.calls.map((call) => call['method']),
        [probe.logged.method],
      );
      await checkRefused('a wait for a second call', 'timeout', () => stage.kind.calls.wait('simple', 2, 20));
    }),
  ];

  async function logged(stage: Stage, count: number): Promise<void> {
    const all = (): readonly JournalEntry[] => stage.host.journal.list({ protocol: kind });
    await eventually(stage.timeout, `${count} entries in the journal`, () => all().length >= count);
    try {
      await eventually(
        stage.timeout,
        `${count} entries of method ${probe.logged.method}`,
        () => entriesOf(stage).length >= count,
      );
    } catch (thrown) {
      // Without any, the entries that there are may be messages under another name.
      if (entriesOf(stage).length === 0) checkEqual('method', all()[0]?.['method'], probe.logged.method);
      throw thrown;
    }
    await settle();
    checkEqual('the number of entries', entriesOf(stage).length, count);
    checkEqual('the count of the entries', stage.host.journal.count({ protocol: kind }).count, all().length);
  }

  /** The entries of messages; a kind may also have some for connections, logins and the like. */
  function entriesOf(stage: Stage): readonly JournalEntry[] {
    return stage.host.journal.list({ protocol: kind }).filter(isMessage);
  }

  function isMessage(entry: JournalEntry): boolean {
    return entry['method'] === probe.logged.method;
  }
}
