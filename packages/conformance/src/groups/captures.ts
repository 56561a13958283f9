import { createValidator } from '@backlot/core';
import { check, checkEqual, eventually, settle } from '../check.js';
import type { ConformanceCase } from '../conformance-groups.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Stored messages. */
export function captureCases(subject: Subject): readonly ConformanceCase[] {
  const { captured } = subject.probe;
  const { capture } = subject.protocol;
  if (capture === undefined) return [];
  const run = async (stage: Stage): Promise<void> => {
    const { captures } = stage.kind;
    check(captures !== undefined, 'the kind declares a capture and has none');
    check(captured !== undefined, 'the protocol declares a capture, so its probe must have `captured`');
    stage.add('simple');
    await stage.ask('simple');
    await eventually(stage.timeout, 'a captured message', () => captures.values().length > 0);
    await settle();
    checkEqual('the number of captured messages', captures.values().length, 1);
    const json = JSON.stringify(captures.values()[0]);
    check(json.includes(captured), `the captured message must hold "${captured}", got ${json}`);
    const problems = createValidator(capture.schema).check(JSON.parse(json));
    checkEqual('where the captured message differs from its schema', problems, []);
    captures.clear();
    await stage.ask('simple');
    await eventually(
      stage.timeout,
      'one message captured after clearing',
      () => captures.values().length === 1,
    );
  };
  return [
    {
      name: 'hold what a client sent, as the schema says, until they are cleared',
      run: () => onStage(subject, run),
    },
  ];
}
