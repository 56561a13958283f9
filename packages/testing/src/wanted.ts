/** A matcher such as `expect.any(String)` or `expect.stringContaining('x')`, of whatever runner. */
export interface AsymmetricMatcher {
  asymmetricMatch(other: unknown): boolean;
}

/**
 * A part of a value, as `toMatchObject` takes it: of objects the fields that matter, of lists every element. A regular
 * expression stands for a text that it matches, and any value may be a matcher such as `expect.any(String)`.
 */
export type Wanted<T> = unknown extends T
  ? unknown
  : T extends string
    ? T | RegExp | AsymmetricMatcher
    : T extends readonly (infer Item)[]
      ? readonly Wanted<Item>[] | AsymmetricMatcher
      : T extends object
        ? { readonly [Key in keyof T]?: Wanted<T[Key]> } | AsymmetricMatcher
        : T | AsymmetricMatcher;
