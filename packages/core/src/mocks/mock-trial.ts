import { BacklotError, type Problem } from '../errors.js';
import type { Clock } from '../time/clock.js';
import { isObject } from '../validation/pointer.js';
import type { Effects } from './effects.js';
import type { EffectiveMock, MockPlace } from './live-mock.js';
import type { MockCompiler } from './mock-compiler.js';
import type { MockIntake } from './mock-intake.js';
import type { MockTable } from './mock-table.js';
import type { SlotMap } from './slot-map.js';

/** What a new mock that is tried is counted by. */
const TRIAL_ID = '(dry run)';

/** What trying mocks takes of the store of a kind. */
export interface TrialParts {
  readonly compiler: MockCompiler;
  readonly intake: MockIntake;
  readonly slots: SlotMap;
  readonly effects: Effects;
  readonly table: MockTable;
  readonly clock: Clock;
  /** The place behind all others. */
  readonly nextPosition: () => number;
}

/** A mock that is only tried: in the table, and hidden but for single steps. */
export interface Trial {
  readonly candidate: EffectiveMock;
  /** What its contract warns of. */
  readonly warnings: readonly Problem[];
  /** What is in effect of the mock that it would replace. */
  replaced(): EffectiveMock | undefined;
  /** Takes it out of the table. */
  end(): void;
}

/**
 * Checks and compiles a mock that is only tried, and puts it into the table, hidden.
 *
 * @param replaces - the id of the mock whose place it takes; the place behind all others when absent
 * @throws BacklotError `invalid`, `conflict`; `not_found` when there is no mock to replace
 */
export function placeTrial(parts: TrialParts, mock: unknown, replaces: string | undefined): Trial {
  const { compiler, intake, slots, effects, table } = parts;
  const id = isObject(mock) ? mock['id'] : undefined;
  if (replaces === undefined && typeof id === 'string' && slots.get(id) !== undefined) {
    throw new BacklotError(
      'conflict',
      `${compiler.noun} "${id}" exists; give "replaces" to try what takes its place`,
    );
  }
  const place = placeOf(parts, replaces);
  const { ready, warnings } = compiler.examine(intake.withId(mock, replaces ?? TRIAL_ID));
  const candidate = ready.at(place);
  candidate.hide();
  table.add(candidate);
  return {
    candidate,
    warnings,
    replaced: () => (replaces === undefined ? undefined : effects.find(replaces)),
    end: () => table.remove(candidate),
  };
}

function placeOf(
  { compiler, slots, clock, nextPosition }: TrialParts,
  replaces: string | undefined,
): MockPlace {
  if (replaces === undefined) return { position: nextPosition(), createdAt: clock.now() };
  const slot = slots.get(replaces);
  if (slot === undefined) throw new BacklotError('not_found', `no ${compiler.noun} "${replaces}"`);
  return slot.place;
}
