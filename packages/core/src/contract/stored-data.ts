/** A part of what clients have stored, as plain data. */
export interface PackedPart {
  /** The id of the space; absent for the main world. */
  readonly space?: string;
  readonly kind: string;
  /** The name under which the kind has registered it. */
  readonly part: string;
  readonly data: unknown;
}

/** A part of what clients have stored, which was taken and is made plain data when that is asked for. */
export interface TakenPart extends Omit<PackedPart, 'data'> {
  /** @returns a promise where that takes long */
  readonly pack: () => unknown;
}

/** What clients have stored in the kinds that have data, in a world and its spaces. */
export interface StoredData {
  /** What never leaves this process, by kind: the names of parts. */
  readonly staying: ReadonlyMap<string, readonly string[]>;
  /** Takes all that can pass to another process, as it is at this moment. */
  take(): readonly TakenPart[];
  /**
   * Puts data in the place of what is there, also where the service of a kind has not been made yet: then as soon as it is. Parts of spaces and
   * kinds that are not here are left out.
   *
   * @throws Error when a part is none that the kind has packed; what was put until then stays
   */
  put(parts: readonly PackedPart[]): void;
}
