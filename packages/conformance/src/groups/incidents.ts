import { check, checkEqual } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** The stages of an incident whose time is gone through. */
const HOUR = 3_600_000;

/** What servers of the protocol are known for: each can be begun, befalls the kind, and ends. */
export function incidentCases(subject: Subject): readonly ConformanceCase[] {
  const { protocol, probe } = subject;
  return Object.entries(protocol.incidents ?? {}).map(([short, { summary, advice }]) => {
    const name = `${protocol.kind}-${short}`;
    const run = async (stage: Stage): Promise<void> => {
      const { host, kind } = stage;
      check(/\.$/.test(summary) && /\.$/.test(advice), 'summary and advice are sentences');
      stage.add('simple');
      host.clock.freeze(true);
      const { running, protocols } = await host.incidents.start(name);
      checkEqual('the kinds that it befalls', protocols, [protocol.kind]);
      checkEqual('the stage that it begins with', running?.stages, { [protocol.kind]: 1 });
      // Through all stages, as long as somebody says: the clock is what ends it.
      await host.incidents.start(name, { for: '1h' });
      await host.clock.advance(HOUR - 1);
      check(host.incidents.get(name).running !== undefined, 'it ended before its time');
      await host.clock.advance(1);
      checkEqual('the incident after its time', host.incidents.get(name).running, undefined);
      checkEqual('the fault after its time', kind.fault?.effective(), undefined);
      checkEqual('the toxics after its time', kind.toxics.effective(), []);
      checkEqual('the answer after its time', await stage.ask('simple'), probe.answers.simple);
      checkEqual('the errors in the log', stage.errors, []);
    };
    return { name: `${short} begins, goes through its stages, and ends`, run: () => onStage(subject, run) };
  });
}
