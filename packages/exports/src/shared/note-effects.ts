import type { ExportNotes } from '@backlot/core/plugin';
import type { Tree } from './trees.js';

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

/** The fields of mocks of all kinds that {@link noteEffects} knows, and their ids. */
export const COMMON_FIELDS: readonly string[] = ['id', ...Object.keys(EFFECTS)];

/**
 * Notes what a mock does beside its answer, and no file of a format says.
 *
 * @param said - the fields that are said
 */
export function noteEffects(id: string, mock: Tree, notes: ExportNotes, said: readonly string[] = []): void {
  for (const [field, what] of Object.entries(EFFECTS))
    if (mock[field] !== undefined && !said.includes(field)) notes.approximated(id, `${what} are left out`);
}
