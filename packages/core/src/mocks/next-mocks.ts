import type { EffectiveMock } from './live-mock.js';
import type { Slot } from './slot-map.js';

/**
 * The mocks of a kind as they will be when a snapshot is put back, made beforehand and in slices. What has to be added is
 * in the table already, hidden; all else stands beside what is in force.
 */
export class NextMocks {
  /** The snapshot. */
  readonly saved: readonly Slot[];
  readonly slots = new Map<string, Slot>();
  readonly effective = new Map<string, EffectiveMock>();
  /** Those of the snapshot that expire: they are put into effect last, since their time begins then. */
  readonly expiring: Slot[] = [];
  /** Those that were added and are to be shown. */
  readonly added: EffectiveMock[] = [];
  /** Those in effect that are to go. */
  readonly gone: EffectiveMock[] = [];
  /** The ids that something has happened to since this was begun. */
  readonly touched = new Set<string>();
  /** Whether something else was put back since this was begun, so that it is of no use. */
  isStale = false;

  /** @param saved - the snapshot */
  constructor(saved: readonly Slot[]) {
    this.saved = saved;
  }
}
