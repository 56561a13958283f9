/** A matcher such as `expect.any(String)` or `expect.stringContaining('x')`, of any runner. */
export interface AsymmetricMatcher {
  asymmetricMatch(other: unknown): boolean;
}

/**
 * The wanted part of a value, as `toMatchObject` takes it: objects with only the fields that matter, lists with every
 * element. A regular expression wants a text that it matches, and in place of any value there may be a matcher such as
 * `expect.any(String)`. In place of a text, such as a body, an object or a list wants JSON that has it.
 */
export type Wanted<T> = unknown extends T
  ? unknown
  : T extends string
    ? T | RegExp | AsymmetricMatcher | (string extends T ? WantedJson : never)
    : T extends readonly (infer Item)[]
      ? readonly Wanted<Item>[] | AsymmetricMatcher
      : T extends object
        ? { readonly [Key in keyof T]?: Wanted<T[Key]> } | AsymmetricMatcher
        : T | AsymmetricMatcher;

/** A part of the JSON that a text is. */
export type WantedJson = readonly unknown[] | { readonly [field: string]: unknown };
