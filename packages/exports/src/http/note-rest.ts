import type { ExportNotes } from '@backlot/core/plugin';
import type { HttpCase } from './http-case.js';

/** What mocks of all kinds can do beside an answer. */
const EFFECTS: Readonly<Record<string, string>> = {
  state: 'conditions on the state',
  set_state: 'changes of the state',
  emit: 'messages to open streams',
  collection: 'rows of collections',
  once: '"once"',
  times: '"times"',
  expires: '"expires"',
  webhooks: 'webhooks',
};

/**
 * Notes what a mock does and no file of this format says.
 *
 * @param said - the fields that are said
 */
export function noteRest(
  { id, mock, answers, unsaid }: HttpCase,
  notes: ExportNotes,
  said: readonly string[],
): void {
  for (const [field, what] of Object.entries(EFFECTS))
    if (mock[field] !== undefined && !said.includes(field)) notes.approximated(id, `${what} are left out`);
  for (const field of unsaid)
    if (!said.includes(field)) notes.approximated(id, `"${field}" of a request is not asked for`);
  for (const { more } of answers) {
    for (const field of Object.keys(more))
      if (!said.includes(field)) notes.approximated(id, `"${field}" of an answer is left out`);
  }
}

/** Notes tags in answers, which are sent as they are written. */
export function noteTemplates({ id, answers }: HttpCase, notes: ExportNotes): void {
  for (const { body, hasTemplates } of answers) {
    if (hasTemplates || ('isTemplate' in body && body.isTemplate))
      notes.approximated(id, 'the tags of a template are written as they are');
  }
}
