import type { ExportNotes } from '@backlot/core/plugin';
import { noteEffects } from '../shared/note-effects.js';
import type { HttpCase } from './http-case.js';

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
  noteEffects(id, mock, notes, said);
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
