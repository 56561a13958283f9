/** What can be awaited, and is asked for only then. */
export interface Later<T> extends PromiseLike<T> {
  /** Names what it is where somebody prints it without awaiting it. */
  toString(): string;
}

/**
 * The members of a part of a Backlot, with promises of what they give. Code that awaits them works on both.
 *
 * @typeParam T - the part as it is in the same process
 */
export type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Awaited<Answer>>
    : Later<T[Name]>;
};

/** Asks once somebody awaits it, each time anew: like a property that is read. */
export function later<T>(what: string, ask: () => Promise<T>): Later<T> {
  return {
    then: (onValue, onError) => ask().then(onValue, onError),
    toString: () => `${what} of a Backlot that runs elsewhere; await it`,
  };
}
