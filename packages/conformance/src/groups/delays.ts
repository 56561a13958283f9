import { check, checkEqual, eventually, settle, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

const HOUR = 3_600_000;

/** Delays of mocks. */
export function delayCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const on = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCase => ({
    name,
    run: () => onStage(subject, run),
  });
  const cases = [
    on('wait on the virtual clock', async (stage) => {
      const { clock } = stage.host;
      clock.freeze(true);
      stage.add('simple', { delay: '1h' });
      const { answer, isAnswered } = await stage.askLater();
      await stage.called('simple', 1);
      await clock.advance(HOUR - 1);
      await settle();
      check(!isAnswered(), 'the answer came before its delay had passed');
      await clock.advance(1);
      checkEqual(
        'the answer',
        await within(stage.timeout, 'the delayed answer', answer),
        probe.answers.simple,
      );
    }),
    on('hold up no other connection', async (stage) => {
      stage.add('simple', { delay: '1h' });
      stage.add('other');
      const { answer, isAnswered } = await stage.askLater();
      await stage.called('simple', 1);
      checkEqual('the answer to another client', await stage.ask('other'), probe.answers.other);
      checkEqual('and to one more', await stage.ask('other'), probe.answers.other);
      check(!isAnswered(), 'the delayed answer came at once');
      await stage.host.clock.advance(HOUR);
      checkEqual(
        'the delayed answer',
        await within(stage.timeout, 'the delayed answer', answer),
        probe.answers.simple,
      );
    }),
  ];
  if (protocol.meta.transport === 'stream') {
    cases.push(
      on('end when the client leaves, and the entry says so', async (stage) => {
        stage.add('simple', { delay: '1h' });
        const { client } = await stage.askLater();
        await stage.called('simple', 1);
        await client.close();
        const isAborted = (): boolean => stage.kind.calls.of('simple').calls[0]?.['aborted'] === true;
        await eventually(stage.timeout, 'the entry of a client that left is aborted', isAborted);
      }),
    );
  }
  return cases;
}
