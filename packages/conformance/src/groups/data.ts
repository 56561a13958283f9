import { createValidator, type DataDeclaration, type Json } from '@backlot/core';
import { check, checkEqual, checkRefused, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** The data that a service holds, and publishing by it. */
export function dataCases(subject: Subject): readonly ConformanceCase[] {
  const { data = {}, publish } = subject.protocol;
  const cases: ConformanceCase[] = [];
  const on = (name: string, run: (stage: Stage) => Promise<void>): void => {
    cases.push({ name, run: () => onStage(subject, run) });
  };
  for (const [section, declared] of Object.entries(data)) {
    on(`of ${section} are read, made, waited for and removed as declared`, (stage) =>
      handleSection(stage, section, declared),
    );
  }
  if (publish !== undefined) {
    on('are published, and what became of it is told, without a trace in the journal', async (stage) => {
      check(publish.examples.length > 0, 'publish has no examples');
      for (const example of publish.examples) {
        const result = await within(stage.timeout, 'publishing', stage.kind.data.publish(example));
        checkSchema('what became of a message', publish.result, result);
      }
      checkEqual('the journal', stage.host.journal.list(), []);
      checkEqual('the captured messages', stage.kind.captures?.values() ?? [], []);
      await checkRefused('a message that is none', 'invalid', () => stage.kind.data.publish(null));
      await checkRefused('a message with an unknown field', 'invalid', () =>
        stage.kind.data.publish({ ...publish.examples[0], there_is_no_such_field: 1 }),
      );
      checkEqual('the errors in the log', stage.errors, []);
    });
  }
  return cases;
}

async function handleSection(stage: Stage, section: string, declared: DataDeclaration): Promise<void> {
  const { data } = stage.kind;
  const { put, remove = false, schema, idField = 'id' } = declared;
  const before = idsOf(stage, section);
  checkEqual('how many there are', data.size(section), before.length);
  for (const each of data.entries(section)) checkSchema(each.id, schema, each.read());
  await checkRefused('what does not exist', 'not_found', async () =>
    data.get(section, 'there is no such id'),
  );
  if (put === undefined) {
    await checkRefused('making one', 'method_not_allowed', () => data.put(section, {}));
  } else {
    check(put.examples.length > 0, `${section} has no examples of what is put`);
    const made: string[] = [];
    for (const example of put.examples) {
      const shown = await data.put(section, example);
      checkSchema('what was made', schema, shown);
      const id = String(shown[idField]);
      checkEqual('what is found by its id', data.get(section, id), shown);
      made.push(id);
      await checkRefused('one with an unknown field', 'invalid', () =>
        data.put(section, { ...example, there_is_no_such_field: 1 }),
      );
    }
    const missing = made.filter((id) => !idsOf(stage, section).includes(id));
    checkEqual('what was made and is not listed', missing, []);
    const waited = await data.wait(section, hasId(idField, made), made.length, 1);
    checkEqual('how many were waited for', waited.length, made.length);
    await checkRefused('a wait for none of what is there', 'timeout', () =>
      data.wait(section, hasId(idField, made), 0, 1),
    );
    const gone = data.wait(section, hasId(idField, made), 0, 60_000);
    if (remove) {
      for (const id of made) await data.remove(section, id);
      await within(stage.timeout, 'the wait for what is removed', gone);
      checkEqual('what is left', idsOf(stage, section), before);
      for (const example of put.examples) await data.put(section, example);
    }
    stage.host.reset();
    await within(stage.timeout, 'the reset', data.wait(section, hasId(idField, made), 0, 60_000));
    if (!remove) await within(stage.timeout, 'the wait for what a reset removes', gone);
    checkEqual('what is there after a reset', idsOf(stage, section), before);
  }
  if (remove) {
    await checkRefused('removing what does not exist', 'not_found', () =>
      data.remove(section, 'there is no such id'),
    );
  } else {
    await checkRefused('removing one', 'method_not_allowed', () => data.remove(section, 'any'));
  }
  checkEqual('the errors in the log', stage.errors, []);
}

function idsOf(stage: Stage, section: string): string[] {
  return Array.from(stage.kind.data.entries(section), ({ id }) => id).sort();
}

function checkSchema(what: string, schema: DataDeclaration['schema'], value: Json | undefined): void {
  const problems = createValidator(schema).check(
    value === undefined ? undefined : JSON.parse(JSON.stringify(value)),
  );
  checkEqual(`where ${what} differs from its schema`, problems, []);
}

function hasId(idField: string, ids: readonly string[]): (entry: Json) => Generator<void, boolean> {
  return function* (entry) {
    yield;
    return ids.includes(String(entry[idField]));
  };
}
