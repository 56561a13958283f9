import { checkEqual, eventually, settle, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Everything back to what the configuration says. */
export function resetCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { answers, mocks } = probe;
  const configured = [{ ...mocks.simple, id: 'simple' }];
  const on = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCase => ({
    name,
    run: () => onStage(subject, run, { mocks: configured }),
  });
  return [
    on('puts mocks, counts and stored messages back, and keeps connections open', async (stage) => {
      const client = await stage.connect();
      checkEqual('before', await client.send('simple'), answers.simple);
      stage.add('other');
      stage.kind.mocks.replace('simple', mocks.changed);
      if (protocol.fault !== undefined) stage.host.faults.set(protocol.kind, { delay: '1h' });
      stage.host.reset();
      checkEqual('the mocks', stage.kind.mocks.list(), configured);
      checkNothingRecorded(stage);
      checkEqual('on the connection that was open', await client.send('simple'), answers.simple);
      checkEqual('the calls since', stage.kind.calls.of('simple').count, 1);
    }),
    on('records nothing of what began before it', async (stage) => {
      const { kind, host } = stage;
      kind.mocks.replace('simple', { ...mocks.simple, delay: '1h' });
      const { answer, isAnswered } = await stage.askLater();
      await stage.called('simple', 1);
      host.reset();
      await host.clock.advance(3_600_000);
      await within(
        stage.timeout,
        'the answer of a message from before the reset',
        answer.catch(() => ''),
      );
      await eventually(stage.timeout, 'the answer', isAnswered);
      await settle();
      checkNothingRecorded(stage);
      checkEqual('the answer to a later message', await stage.ask('simple'), answers.simple);
      checkEqual('its calls', kind.calls.of('simple').count, 1);
    }),
  ];
}

function checkNothingRecorded(stage: Stage): void {
  checkEqual('the journal', stage.host.journal.list(), []);
  checkEqual('the calls', stage.kind.calls.of('simple').count, 0);
  checkEqual('the captured messages', stage.kind.captures?.values() ?? [], []);
}
