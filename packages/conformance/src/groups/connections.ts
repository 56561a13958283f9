import { check, checkEqual, eventually } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { hasConnections, onStage, type Stage, type Subject } from '../stage.js';

const HOW = ['end', 'reset', 'goodbye'] as const;

/** The list of open connections, and closing them. */
export function connectionCases(subject: Subject): readonly ConformanceCase[] {
  const { protocol, probe } = subject;
  const cases: ConformanceCase[] = [];
  const on = (name: string, run: (stage: Stage) => Promise<void>): void => {
    cases.push({
      name,
      run: () =>
        onStage(subject, async (stage) => {
          stage.add('simple');
          await run(stage);
        }),
    });
  };
  if (!hasConnections(subject)) {
    on('are none where there are only datagrams', async (stage) => {
      const { connections } = stage.kind;
      checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
      checkEqual('the list', connections.list(), []);
      checkEqual('how many were closed', connections.close({}, 'goodbye'), 0);
    });
    return cases;
  }
  for (const how of HOW)
    on(`are listed, and closed with ${how}`, async (stage) => {
      const { connections } = stage.kind;
      const client = await stage.connect();
      checkEqual('the answer', await client.send('simple'), probe.answers.simple);
      const [first] = connections.list();
      if (first === undefined) {
        check(
          protocol.meta.transport === 'both',
          'a connection that was used is not in the list of `openConnections`',
        );
        return;
      }
      check(first.bytes_in > 0 && first.bytes_out > 0, 'the bytes of a connection that was used are 0');
      checkEqual('how many of a stranger were closed', connections.close({ id: 'nobody' }, how), 0);
      const open = connections.list().length;
      checkEqual('how many were closed', connections.close({}, how), open);
      await eventually(stage.timeout, 'the connections to be closed', () => connections.list().length === 0);
      checkEqual('the answer to another client', await stage.ask('simple'), probe.answers.simple);
      checkEqual('the errors in the log', stage.errors, []);
    });
  return cases;
}
