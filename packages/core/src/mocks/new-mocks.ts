import type { StoredMock } from '../contract/given.js';
import { BacklotError, invalid, isBacklotError, type Problem } from '../errors.js';
import { runInSlices } from '../time/slices.js';
import { onlyTheFirst, ProblemList } from '../validation/problem-list.js';
import type { EffectiveMock } from './live-mock.js';
import type { ReadyMock } from './mock-compiler.js';
import type { Slot } from './slot-map.js';
import { Veil } from './veil.js';

/** A new mock that was checked and compiled. */
export interface PreparedMock {
  readonly value: StoredMock;
  readonly ready: ReadyMock;
}

/** A new mock that has its place, and is as if absent before it is committed. */
export interface PlacedMock {
  readonly slot: Slot;
  readonly mock: EffectiveMock;
}

/** What the store of a kind does for mocks that are created together. */
export interface NewMockStore {
  /** What people call one of them. */
  readonly noun: string;
  /** @throws BacklotError `invalid`, `conflict` */
  prepare(mock: unknown, base: string, taken: Set<string>): PreparedMock;
  /** @throws BacklotError `invalid` when there are problems */
  refuse(problems: readonly Problem[]): void;
  /** Puts a mock where messages look for it, hidden. @throws BacklotError `conflict` when another was quicker */
  place(mock: PreparedMock, veil: Veil): PlacedMock;
  /** Shows the mocks that a veil hides, all at once. @throws BacklotError `conflict` when a reset brought another */
  commit(mocks: readonly PlacedMock[], veil: Veil): void;
  /** Takes mocks away that were placed and are not wanted, one in each step. */
  withdrawSteps(mocks: readonly PlacedMock[]): Generator<undefined, void>;
}

/**
 * Creates several mocks, all or none: each is checked, compiled and placed in one step, so that nothing is kept of it but itself, and
 * all are shown with the last. Checking stops where no further problem would be named. What is left to do for each mock then,
 * which nobody need wait for, is left to the caller.
 */
export function* createTogether(
  mocks: readonly unknown[],
  store: NewMockStore,
): Generator<undefined, readonly PlacedMock[]> {
  if (mocks.length === 0) {
    const message = `the list must hold at least one ${store.noun}, got an empty one`;
    throw invalid(message, [{ path: '', message }]);
  }
  const placed: PlacedMock[] = [];
  const veil = new Veil();
  let isOver = false;
  try {
    yield* placeAll(mocks, store, placed, veil);
    store.commit(placed, veil);
    isOver = true;
    return placed;
  } catch (thrown) {
    // Who is refused may send them again at once, and finds their ids free.
    yield* store.withdrawSteps(placed);
    isOver = true;
    throw thrown;
  } finally {
    // Nobody waits any more.
    if (!isOver) void runInSlices(store.withdrawSteps(placed));
  }
}

/** The error for a mock whose id another has. */
export function alreadyThere(noun: string, id: string): BacklotError {
  return new BacklotError('conflict', `${noun} "${id}" already exists; replace it with PUT`);
}

function* placeAll(
  mocks: readonly unknown[],
  store: NewMockStore,
  placed: PlacedMock[],
  veil: Veil,
): Generator<undefined, void> {
  /** The ids of those that are not placed, since there was a problem before them. */
  const taken = new Set<string>();
  const problems = new ProblemList();
  for (const [index, mock] of mocks.entries()) {
    try {
      const prepared = store.prepare(mock, `/${index}`, taken);
      if (problems.count === 0) {
        placed.push(store.place(prepared, veil));
        taken.clear();
      }
    } catch (thrown) {
      if (!isBacklotError(thrown) || thrown.details === undefined) throw thrown;
      for (const problem of thrown.details) problems.add(problem);
    }
    if (problems.isFull && index + 1 < mocks.length) {
      const message = onlyTheFirst(index + 1, mocks.length, problems.count);
      store.refuse([...problems.problems, { path: '', message }]);
    }
    yield;
  }
  store.refuse(problems.problems);
}
