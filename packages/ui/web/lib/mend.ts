import { api } from './api.js';
import { go } from './address.js';
import { draftOf, type Draft } from './drafts.js';
import type { Entry } from './entries.js';
import { schemaOf } from './kinds.js';
import { edit } from './working.js';

/** Opens the editor with a mock for messages such as this one. */
export async function draft(entry: Entry): Promise<void> {
  edit({ kind: entry.protocol, mock: draftOf(entry, await schemaOf(entry.protocol)), from: entry.id });
  go('edit');
}

/** Opens the editor with a mock that is there, changed perhaps. */
export async function openMock(
  kind: string,
  id: string,
  from: string,
  alter: (mock: Draft) => Draft | undefined = (mock) => mock,
): Promise<void> {
  const stored = await api<Draft>(`/api/mocks/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`);
  edit({ kind, id, mock: alter(stored) ?? stored, from });
  go('edit');
}
