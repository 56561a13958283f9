import { createValidator, type StoredCapture } from '@backlot/core';
import { check, checkEqual, checkRefused, eventually, settle, within } from '../check.js';
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
  const wait = async (stage: Stage): Promise<void> => {
    check(captured !== undefined, MISSING);
    const { captures } = stage.kind;
    check(captures !== undefined, 'the kind declares a capture and has none');
    stage.add('simple');
    const waiting = captures.wait(holds(captured), 2, 60_000);
    await stage.ask('simple');
    await stage.ask('simple');
    const items = await within(stage.timeout, 'the wait for two captured messages', waiting);
    const found = items.map((item) => item.read());
    checkEqual('what was waited for', found, captures.values().slice(0, 2));
    const { timeField = 'timestamp' } = capture;
    const isDated = Object.hasOwn(capture.schema.properties, timeField);
    const time = (found[0] as Readonly<Record<string, unknown>>)[timeField];
    check(
      !isDated || !Number.isNaN(Date.parse(String(time))),
      `the field "${timeField}" must say when the message came, in RFC 3339; got ${JSON.stringify(time)}; name another one as capture.timeField`,
    );
    await checkRefused('a wait for what does not come', 'timeout', () =>
      captures.wait(holds('what nobody sends'), 1, 1),
    );
    const cleared = captures.wait(holds('what nobody sends'), 1, 60_000);
    captures.clear();
    await checkRefused('a wait that is cleared', 'cancelled', () => cleared);
  };
  return [
    { name: 'are waited for, those that are there included', run: () => onStage(subject, wait) },
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

/** Whether a message holds a text. */
function holds(text: string): (item: StoredCapture) => Generator<void, boolean> {
  return function* (item) {
    yield;
    return JSON.stringify(item.read()).includes(text);
  };
}
