import type { OnceStore } from '../collections/once-store.js';
import type { CollectionStore } from '../collections/collection-store.js';
import type { Found } from '../collections/operation.js';
import type { Log } from '../contract/log.js';
import type { KeptAnswer, MatchChanges } from '../contract/shared-changes.js';
import type { Emitter } from '../emits/emitter.js';
import type { MockStore } from '../mocks/mock-store.js';
import type { Sequences } from '../stores/sequences.js';
import type { StateStore } from '../stores/state-store.js';
import { fromSharedJson } from '../values/shared-json.js';

/** What a host makes changes in. */
export interface ChangedParts {
  readonly state: StateStore;
  readonly collections: CollectionStore;
  readonly once: OnceStore;
  readonly sequences: Sequences;
  readonly emitter: Emitter;
  readonly kindOf: (
    name: string,
  ) => { readonly mocks: Pick<MockStore, 'noteShared'>; readonly log: Log } | undefined;
  /** Whether it was long ago, so that nothing is pushed. */
  readonly isPast: boolean;
}

/** Makes what a match of this host or another one has changed. */
export function takeChanges(changes: MatchChanges, parts: ChangedParts): void {
  const { counts = [], state = [], sequences = [], rows = [], answers = [], pushes = [] } = changes;
  for (const [kind, id, since, number] of counts) parts.kindOf(kind)?.mocks.noteShared(id, since, number);
  for (const row of rows) parts.collections.takeChange(row);
  for (const [name, last] of sequences) parts.sequences.goOnAfter(name, last);
  for (const answer of answers) keep(answer, parts.once);
  for (const [key, value] of state) {
    if (value === null) parts.state.delete(key);
    else parts.state.set(key, value);
  }
  if (parts.isPast) return;
  for (const { kind, id, data, delay, mock, of } of pushes) {
    const log = parts.kindOf(of)?.log;
    if (log === undefined) continue;
    parts.emitter.pushRendered({ kind, id, data: fromSharedJson(data), delay, log }, { mockId: mock });
  }
}

function keep({ name, call, found, same, seed, now, numbers }: KeptAnswer, once: OnceStore): void {
  once.add(name, {
    ...{ message: undefined, call, same, seed },
    found: fromSharedJson(found) as Found,
    reading: { now, numbers: new Map(numbers.map(([of, list]) => [of, [...list]])), state: new Map() },
  });
}
