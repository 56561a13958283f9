import { checkEqual, settle } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Snapshots taken and restored while the kind runs. */
export function snapshotCases(subject: Subject): readonly ConformanceCase[] {
  const { answers, mocks } = subject.probe;
  const run = async (stage: Stage): Promise<void> => {
    const { host, kind } = stage;
    stage.add('simple');
    stage.add('other');
    await stage.ask('simple');
    await stage.ask('simple');
    await settle();
    const before = pictureOf(stage);
    const { id } = host.snapshots.create('before');
    kind.mocks.replace('simple', mocks.changed);
    kind.mocks.remove('other');
    checkEqual('in between', await stage.ask('simple'), answers.changed);
    kind.captures?.clear();
    host.snapshots.restore(id);
    checkEqual('mocks, counts and captured messages', pictureOf(stage), before);
    checkEqual('the answer of a mock that was replaced', await stage.ask('simple'), answers.simple);
    checkEqual('the answer of a mock that was removed', await stage.ask('other'), answers.other);
    checkEqual('the calls since', kind.calls.of('simple').count, before.calls + 1);
    host.snapshots.restore(id);
    checkEqual('mocks, counts and captured messages, restored a second time', pictureOf(stage), before);
  };
  return [{ name: 'put mocks, counts and stored messages back', run: () => onStage(subject, run) }];
}

function pictureOf({ kind }: Stage): { mocks: unknown; calls: number; captures: unknown } {
  return {
    mocks: kind.mocks.list(),
    calls: kind.calls.of('simple').count,
    captures: kind.captures?.values(),
  };
}
