import { createValidator } from '@backlot/core';
import { check, checkEqual, eventually, settle } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

const MISSING = 'the protocol declares a capture, so its probe must have `captured`';

/** Stored messages. */
export function captureCases(subject: Subject): readonly ConformanceCase[] {
  const { captured } = subject.probe;
  const { capture } = subject.protocol;
  if (capture === undefined) return [];
  const run = async (stage: Stage): Promise<void> => {
    check(captured !== undefined, MISSING);
    const { captures } = stage.kind;
    check(captures !== undefined, 'the kind declares a capture and has none');
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
  const find = async (stage: Stage): Promise<void> => {
    check(captured !== undefined, MISSING);
    const { captures } = stage.kind;
    check(captures !== undefined, 'the kind declares a capture and has none');
    stage.add('simple');
    for (let count = 1; count <= 3; count += 1) {
      await stage.ask('simple');
      await eventually(stage.timeout, `message ${count}`, () => captures.values().length === count);
    }
    const items = captures.items();
    const values = captures.values();
    captures.clear();
    const read = Array.from(items, (item) => ({ id: item.id, value: item.read() }));
    checkEqual(
      'the messages that are read one at a time',
      read.map(({ value }) => value),
      values,
    );
    const ids = values.map((value) => (value as { readonly id?: unknown }).id);
    checkEqual(
      'their ids',
      read.map(({ id }) => id),
      ids,
    );
    check(
      ids.every((id) => typeof id === 'string' && id !== '') && new Set(ids).size === ids.length,
      `each captured message must have an \`id\` of its own, by which it is found and pages begin; got ${JSON.stringify(ids)}`,
    );
  };
  return [
    {
      name: 'have ids by which each is found, and can be read one at a time',
      run: () => onStage(subject, find),
    },
    {
      name: 'hold what a client sent, as the schema says, until they are cleared',
      run: () => onStage(subject, run),
    },
  ];
}
