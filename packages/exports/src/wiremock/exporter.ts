import type { Exporter, ExportNotes } from '@backlot/core/plugin';
import type { HttpCase } from '../http/http-case.js';
import { noteRest } from '../http/note-rest.js';
import { priorityOf, readCases } from '../http/read-cases.js';
import { listPieces } from '../shared/json-pieces.js';
import { textOf, treesOf, treeOf, withoutAbsent, type Tree } from '../shared/trees.js';
import { requestOf } from './request.js';
import { responseOf, SAID } from './response.js';

/** What a stub has whose priority is not said. */
const USUAL_PRIORITY = 5;
const STARTED = 'Started';
/** The key under which the importer keeps scenarios. */
const SCENARIO = /^scenario:([^]*)$/;

/** Stub mappings of WireMock, as its admin API takes and gives them. */
export const wiremock: Exporter = {
  format: 'wiremock',
  title: 'WireMock stub mappings',
  contentType: 'application/json',
  extension: '.json',
  *write(source, notes) {
    yield* listPieces(stubs(readCases(source, notes), notes), { before: '{"mappings": [', after: '\n]}\n' });
  },
};

function* stubs(
  cases: Iterable<HttpCase | undefined>,
  notes: ExportNotes,
): Generator<Tree | undefined, void, undefined> {
  for (const one of cases) {
    if (one === undefined) yield undefined;
    else yield* stubsOf(one, notes);
  }
}

function* stubsOf(one: HttpCase, notes: ExportNotes): Generator<Tree, void, undefined> {
  noteRest(one, notes, ['state', 'set_state', ...SAID]);
  const request = requestOf(one, notes);
  const fields = { name: one.id, priority: priority(one, notes), request };
  notes.written('stub mappings');
  const [first] = one.answers;
  if (one.answers.length < 2) {
    yield withoutAbsent({
      ...fields,
      response: first === undefined ? { status: 200 } : responseOf(first, one, notes),
      ...scenarioOf(one, notes),
    });
    return;
  }
  if (one.mock['state'] !== undefined || one.mock['set_state'] !== undefined)
    notes.approximated(one.id, 'conditions on the state of a mock with a sequence are left out');
  notes.approximated(one.id, 'a sequence is written as a scenario with a state for each answer');
  const after = one.mock['sequence_exhausted'];
  for (const [index, answer] of one.answers.entries()) {
    const isLast = index === one.answers.length - 1;
    const next = isLast
      ? after === 'loop'
        ? STARTED
        : after === 'not_found'
          ? 'exhausted'
          : undefined
      : `${index + 2}`;
    yield withoutAbsent({
      ...fields,
      name: `${one.id}-${index + 1}`,
      response: responseOf(answer, one, notes),
      scenarioName: one.id,
      requiredScenarioState: index === 0 ? STARTED : `${index + 1}`,
      newScenarioState: next,
    });
  }
}

/** WireMock asks those with a small number first. */
function priority({ id, mock }: HttpCase, notes: ExportNotes): number | undefined {
  const own = priorityOf(mock);
  if (own === 0) return undefined;
  if (own > USUAL_PRIORITY - 1)
    notes.approximated(id, 'a priority of more than 4 is written as 1, which is the first of WireMock');
  return Math.max(1, USUAL_PRIORITY - own);
}

/** One condition on a key, and one change of the same, are a scenario. */
function scenarioOf({ id, mock }: HttpCase, notes: ExportNotes): Tree {
  const conditions = treesOf(mock['state'] ?? []);
  const changes = Object.entries(treeOf(mock['set_state']));
  if (conditions.length === 0 && changes.length === 0) return {};
  const [condition] = conditions;
  const [change] = changes;
  const key = textOf(condition?.['key']) ?? change?.[0] ?? '';
  const isScenario =
    conditions.length < 2 &&
    changes.length < 2 &&
    (change === undefined || (change[0] === key && typeof change[1] === 'string')) &&
    (condition === undefined || condition['value'] !== undefined);
  if (!isScenario) {
    notes.approximated(id, 'conditions on several keys of the state, and changes of several, are left out');
    return {};
  }
  const required = textOf(condition?.['value']);
  return withoutAbsent({
    scenarioName: SCENARIO.exec(key)?.[1] ?? key,
    requiredScenarioState: required === '' ? STARTED : required,
    newScenarioState: change?.[1],
  });
}
