import { check, checkEqual, eventually } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { hasConnections, hasDatagrams, onStage, type Stage, type Subject } from '../stage.js';

/** So much longer than a client waits that it can only be answered when the toxic is gone. */
const HOUR = 3_600_000;

/** What is done to the bytes of connections, and to datagrams; a service that does not follow them refuses them. */
export function toxicCases(subject: Subject): readonly ConformanceCase[] {
  const { probe } = subject;
  const on = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCase => ({
    name,
    run: () =>
      onStage(subject, async (stage) => {
        stage.add('simple');
        if (stage.kind.toxics.refusal === undefined) return run(stage);
        let refused = false;
        try {
          stage.kind.toxics.add({ type: 'down' });
        } catch {
          refused = true;
        }
        check(refused, 'a service that takes no toxics must not accept one');
      }),
  });
  const holds = on(
    'hold answers back until they are removed, on connections that there are and on new ones',
    async (stage) => {
      const { toxics } = stage.kind;
      const type = hasConnections(subject) ? 'latency' : 'late';
      const old = await stage.askLater();
      checkEqual('the answer before', await old.answer, probe.answers.simple);
      // Both directions: which of them a client needs before it sends a message is its own matter.
      toxics.add({ type, name: 'probe', stream: 'upstream', attributes: { latency: HOUR } });
      if (hasDatagrams(subject) && type !== 'late')
        toxics.add({ type: 'late', name: 'datagrams', stream: 'upstream', attributes: { latency: HOUR } });
      let isAnswered = false;
      const answer = old.client.send('simple').then((text) => {
        isAnswered = true;
        return text;
      });
      answer.catch(() => undefined);
      for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      if (isAnswered && hasConnections(subject)) {
        // What a library reads by its handle cannot be held back afterwards: such a connection is closed, and its client comes again.
        await eventually(
          stage.timeout,
          'the connection to be closed whose messages a toxic does not hold back',
          () => stage.kind.connections.list().length === 0,
        );
      } else check(!isAnswered, 'a message was answered while a toxic held it back');
      toxics.clear();
      if (hasConnections(subject) && !hasDatagrams(subject))
        await eventually(stage.timeout, 'the answer that was held back', () => isAnswered);
      checkEqual('the answer to another client', await stage.ask('simple'), probe.answers.simple);
      checkEqual('the errors in the log', stage.errors, []);
    },
  );
  const harmless = on('leave what they are not for as it is', async (stage) => {
    const { toxics } = stage.kind;
    const reachesNobody = { client: '203.0.113.9' };
    toxics.add({ type: 'down', ...reachesNobody });
    toxics.add({ type: 'corrupt', stream: 'upstream', toxicity: 0 });
    if (hasConnections(subject)) {
      toxics.add({ type: 'slicer', attributes: { average_size: 3, size_variation: 2, delay: 10 } });
      toxics.add({ type: 'slicer', stream: 'upstream', attributes: { average_size: 1, delay: 0 } });
    }
    checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
    stage.host.reset();
    checkEqual('the toxics after a reset', toxics.list(), []);
    stage.add('simple');
    checkEqual('the answer after a reset', await stage.ask('simple'), probe.answers.simple);
    checkEqual('the errors in the log', stage.errors, []);
  });
  return [holds, harmless];
}
