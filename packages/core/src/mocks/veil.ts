import type { MockCounter } from './counters.js';

/**
 * What hides mocks that are created together: all of them show in the step in which it is lifted, however many they are. Each is
 * made as quick as a mock that was never hidden afterwards, in slices.
 */
export class Veil {
  isHidden = true;
  /** How often snapshots had been put back when the first mock was hidden by it. */
  restores: number | undefined = undefined;
  /** The counters of its mocks that had counted the calls of earlier mocks with their ids. */
  counted: MockCounter[] | undefined = undefined;
}

/** Hides a mock for its own sake, until it is shown. */
export const HIDDEN: Readonly<Veil> = Object.freeze(new Veil());
