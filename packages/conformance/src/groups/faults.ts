import { faultSchemaOf, type Json } from '@backlot/core';
import { check, checkEqual, checkRefused, eventually, settle, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { connectRaw } from '../raw-client.js';
import { matchOf } from '../match-of.js';
import { loginCases } from './logins.js';
import { onStage, type Stage, type Subject } from '../stage.js';

const MINUTE = 60_000;

/** Faults, direct ones and those of scenarios. */
export function faultCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { kind } = protocol;
  const schema = faultSchemaOf(protocol);
  if (schema === undefined) return [];
  const match = matchOf(subject, 'simple');
  const on = (name: string, run: (stage: Stage, expected: string) => Promise<void>): ConformanceCase => ({
    name,
    run: () =>
      onStage(subject, async (stage) => {
        const expected = probe.answers.fault;
        check(expected !== undefined, 'the protocol declares a fault, so its probe must have answers.fault');
        stage.add('simple');
        await run(stage, expected);
      }),
  });
  const cases = [
    on('fire their default on every message, which still counts', async (stage, expected) => {
      const client = await stage.connect();
      checkEqual('before the fault', await client.send('simple'), probe.answers.simple);
      stage.host.faults.set(kind, {});
      checkEqual('on a connection that was open', await client.send('simple'), expected);
      checkEqual('unmatched', await stage.ask('unmatched'), expected);
      if (protocol.mocks.mode === 'items') {
        const { journal } = stage.host;
        await eventually(
          stage.timeout,
          'two faulted entries',
          () => journal.list().filter((entry) => entry['fault'] === true).length === 2,
        );
      } else {
        const { count, calls } = stage.kind.calls.of('simple');
        checkEqual('the calls', count, 2);
        checkEqual(
          'fault',
          calls.map((entry) => entry['fault'] === true),
          [false, true],
        );
      }
      stage.host.faults.clear(kind);
      checkEqual('after the fault', await stage.ask('simple'), probe.answers.simple);
    }),
    on('never fire with an error_rate of 0', async (stage) => {
      stage.host.faults.set(kind, { error_rate: 0 });
      for (let i = 0; i < 3; i += 1)
        checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
    }),
    on('of delays alone are pure latency on the virtual clock', async (stage) => {
      for (const fault of [{ delay: '10m' }, { delay_range: { min: '10m', max: '20m' } }]) {
        stage.host.faults.set(kind, fault);
        await checkLatency(stage, 10 * MINUTE);
        stage.host.faults.clear(kind);
      }
    }),
    on('with a match hit the messages that match, and no others', async (stage, expected) => {
      stage.host.faults.set(kind, { match });
      checkEqual('what does not match', await stage.ask('unmatched'), probe.answers.unmatched);
      checkEqual('what matches', await stage.ask('simple'), expected);
      const [other] = stage.host.journal.list().filter((entry) => entry['fault'] !== true);
      const { hits } = stage.kind.explain(other).fault ?? {};
      checkEqual('what explain says of another message', hits, false);
    }),
    on('count what passes and what they hit', async (stage, expected) => {
      const { faults, snapshots } = stage.host;
      const left = (): unknown => faults.get(kind)?.left;
      faults.set(kind, { match, after: 2, times: 1 });
      checkEqual('the first', await stage.ask('simple'), probe.answers.simple);
      checkEqual('what is left', left(), { after: 1, times: 1 });
      const { id } = snapshots.create();
      checkEqual('the second', await stage.ask('simple'), probe.answers.simple);
      checkEqual('the third', await stage.ask('simple'), expected);
      checkEqual('what is left after the third', left(), { after: 0, times: 0 });
      checkEqual('the fourth', await stage.ask('simple'), probe.answers.simple);
      snapshots.restore(id);
      checkEqual('what is left in the snapshot', left(), { after: 1, times: 1 });
      faults.set(kind, { ...faults.get(kind) });
      checkEqual('what is left of one that is set anew', left(), { after: 2, times: 1 });
      stage.host.reset();
      checkEqual('after a reset', faults.get(kind), undefined);
    }),
    on('come from scenarios too', async (stage, expected) => {
      stage.host.scenarios.create({ id: 'outage', faults: { [kind]: {} } });
      stage.host.scenarios.activate('outage');
      checkEqual('while it is active', await stage.ask('simple'), expected);
      stage.host.scenarios.deactivate('outage');
      checkEqual('afterwards', await stage.ask('simple'), probe.answers.simple);
    }),
    on('that are bad are refused', async (stage) => {
      const bad: readonly Json[] = [
        { no_such_field: 1 },
        { error_rate: 2 },
        { delay: 'soon' },
        { delay: '1s', delay_range: { min: '1s', max: '2s' } },
        { match: { no_such_field: 1 } },
        { after: -1 },
        { times: 0 },
      ];
      for (const fault of bad) {
        await checkRefused(`the fault ${JSON.stringify(fault)}`, 'invalid', () =>
          stage.host.faults.set(kind, fault),
        );
      }
      checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
    }),
  ];
  if (Object.hasOwn(schema.properties, 'phase')) {
    cases.push(
      on('of phase connect reset new connections and leave open ones alone', async (stage) => {
        const client = await stage.connect();
        checkEqual('before the fault', await client.send('simple'), probe.answers.simple);
        stage.host.faults.set(kind, { phase: 'connect' });
        checkEqual('a new connection', await watchRaw(stage), 'ended without a byte');
        stage.host.faults.set(kind, { phase: 'connect', error_rate: 0 });
        checkEqual(
          'a new connection with an error_rate of 0',
          await stage.ask('simple'),
          probe.answers.simple,
        );
        stage.host.faults.clear(kind);
        checkEqual('a new connection after the fault', await stage.ask('simple'), probe.answers.simple);
      }),
    );
  }
  if (protocol.fault?.login === true) cases.push(...loginCases(subject));
  else
    cases.push(
      on('of phase login are refused, since it has no logins that could be faulted', async (stage) => {
        await checkRefused('the phase', 'invalid', () => stage.host.faults.set(kind, { phase: 'login' }));
      }),
    );
  return cases;

  async function checkLatency(stage: Stage, latency: number): Promise<void> {
    const { clock } = stage.host;
    clock.freeze(true);
    const start = clock.now();
    const { answer, isAnswered } = await stage.askLater();
    await settle();
    check(!isAnswered(), 'the answer came at once');
    while (!isAnswered() && clock.now() < start + 10 * latency) {
      await clock.advance(latency / 4);
      await settle();
      check(!isAnswered() || clock.now() >= start + latency, 'the answer came before the delay had passed');
    }
    checkEqual('the answer', await within(stage.timeout, 'the delayed answer', answer), probe.answers.simple);
    clock.freeze(false);
  }
}

async function watchRaw(stage: Stage): Promise<string> {
  let bytes = 0;
  try {
    const socket = await connectRaw(stage.address, stage.timeout);
    const closed = new Promise<void>((resolve) => void socket.once('close', resolve));
    socket.on('data', (chunk) => (bytes += chunk.length));
    socket.once('end', () => socket.destroy());
    try {
      await within(stage.timeout, 'the end of a new connection', closed);
    } finally {
      socket.destroy();
    }
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === undefined) throw thrown;
  }
  return bytes === 0 ? 'ended without a byte' : `got ${bytes} bytes`;
}
