import type { Protocol } from './protocol.js';
import type { TypesOf } from './types-of.js';

/** A type all of whose fields are there, so that comparing two of them compares the optional ones too. */
type Full<T> = T extends string | number | boolean | bigint | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Full<Item>[]
    : { readonly [Key in keyof T]-?: Full<T[Key]> };

type Assignable<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Whether each of two types is assignable to the other, with the same fields. */
export type Same<A, B> = Assignable<A, B> extends true ? Assignable<Full<A>, Full<B>> : false;

/** Without what core adds to every declaration, and a package only where its kind has it. */
type Own<T, Core extends string> = [T] extends [never] ? never : [Core] extends [never] ? T : Omit<T, Core>;

/** The names of those types that differ. */
type Differing<Written, Declared> = {
  [Key in keyof Written & keyof Declared]: Same<
    Own<Written[Key], CoreOf<Key>>,
    Own<Declared[Key], CoreOf<Key>>
  > extends true
    ? never
    : Key;
}[keyof Written & keyof Declared];

type CoreOf<Key> = Key extends 'config' ? 'tls' | 'contract' : Key extends 'fault' ? 'phase' | 'tls' : never;

/**
 * `true` when the types that a protocol is published with are those of its declaration: each is assignable to the other,
 * with the same fields. Else the names of those that differ, such as `'mock'`.
 *
 * @example
 * const same: SameTypes<typeof http, typeof declared> = true;
 */
export type SameTypes<Written extends Protocol, Declared extends Protocol> = [
  Differing<TypesOf<Written>, TypesOf<Declared>>,
] extends [never]
  ? true
  : Differing<TypesOf<Written>, TypesOf<Declared>>;
