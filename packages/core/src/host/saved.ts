import type { SavedCollections } from '../collections/collection-store.js';
import type { SavedAnswers } from '../collections/once-store.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { SavedReactions } from '../reactions/reaction-store.js';
import type { SavedScenarios } from '../scenarios/scenario-store.js';
import type { SavedSequences } from '../stores/sequences.js';
import type { SavedState } from '../stores/state-store.js';
import type { ToxicStore } from '../toxics/toxic-store.js';
import type { SavedKind } from './kind-host.js';

/** Everything that reset and snapshots put back. */
export interface Saved {
  readonly kinds: readonly SavedKind[];
  readonly scenarios: SavedScenarios;
  readonly faults: ReturnType<FaultStore['save']>;
  readonly toxics: ReturnType<ToxicStore['save']>;
  readonly state: SavedState;
  readonly collections: SavedCollections;
  readonly answers: SavedAnswers;
  readonly sequences: SavedSequences;
  readonly reactions: SavedReactions;
}
