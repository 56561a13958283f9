import type { Json } from './given.js';

/** A row that a match puts in the place of that with its key, or removes. */
export type RowChange =
  | {
      readonly collection: string;
      readonly key: string;
      readonly value: unknown;
      /** Its place in the order of creation. */
      readonly number: number;
      /** Until when it is out of sight, in milliseconds since 1970; 0 when it is not. */
      readonly hiddenUntil: number;
    }
  | { readonly collection: string; readonly key: string; readonly value?: undefined };

/** The first answer of a mock with `once`: what makes the same one again of a message like that which it was for. */
export interface KeptAnswer {
  /** The name under which it is kept. */
  readonly name: string;
  readonly call: number;
  readonly found: Json;
  readonly same?: string;
  /** The seed of the host that has made it. */
  readonly seed: number;
  /** When it was made, in milliseconds since 1970. */
  readonly now: number;
  /** The numbers of `seq` that it has used, by name. */
  readonly numbers: readonly (readonly [name: string, numbers: readonly number[]])[];
}

/** Something that a match pushes into the open streams of all hosts. */
export interface SharedPush {
  readonly kind: string;
  /** The id of a mock, or of one stream. */
  readonly id: string;
  readonly data: unknown;
  /** Milliseconds from the match. */
  readonly delay: number;
  /** The mock that pushes. */
  readonly mock: string;
  /** The kind of this mock. */
  readonly of: string;
}

/**
 * What a match changes of what several hosts have in common, as JSON: values as they are afterwards, so that what one entry says needs
 * none before it. Bytes are as `sharedJson` makes them.
 */
export interface MatchChanges {
  /** Mocks with the revision at which their count began, and the number of the match in it. */
  readonly counts?: readonly (readonly [kind: string, id: string, since: number, number: number])[];
  /** Keys with their values; `null` removes one. */
  readonly state?: readonly (readonly [key: string, value: string | null])[];
  /** The sequences of the helper `seq` with their last numbers. */
  readonly sequences?: readonly (readonly [name: string, last: number])[];
  readonly rows?: readonly RowChange[];
  readonly answers?: readonly KeptAnswer[];
  readonly pushes?: readonly SharedPush[];
}

/** Makes what matches change on all hosts that the same clients use, such as the replicas of a cluster: in one order, and each once. */
export interface SharedChanges {
  /**
   * Makes what a match changes, on all hosts.
   *
   * @param space - the space whose match it is; undefined for the host itself
   * @param decide - finds the match and says what it changes; nothing of it is done yet. It is called again when another change has come
   * first, and gives undefined when there is nothing to change
   * @returns resolves when the hosts that live have made it, or the time for that is over
   * @throws Error, which says why, when it is not made, or that is not known
   */
  make(space: string | undefined, decide: () => MatchChanges | undefined): Promise<void>;
}
