import type { Message } from '../contract/message.js';
import type { Random } from '../random/random.js';

/** The message a template answers, seen by name. */
export interface RequestView {
  /**
   * The value of a name such as `method`, `path`, `query`, `headers` (lower-case keys), `params`, `body`,
   * `raw_body`, or one of the kind's own; `undefined` for every other name, `constructor` and `__proto__` included.
   * Asked only for the names a template holds.
   */
  get(name: string): unknown;
}

/** The keys with which templates sign tokens. */
export interface TokenKeys {
  /** A JSON Web Token of these claims. @throws BacklotError `invalid` when there is no such key */
  sign(name: string, claims: object): string;
  /** The public keys as a JSON Web Key Set. */
  publicKeys(): object;
}

/** What a template can see and do while one message is answered. */
export interface TemplateScope {
  /** The message that is seen as `request`; absent where there is none. */
  readonly message?: Message | undefined;
  readonly request: RequestView;
  /** Virtual time, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** The chance of this message, made when a template first needs it. */
  readonly random: () => Random;
  /** The live value of a state key. */
  state(key: string): string | undefined;
  readonly vars: Readonly<Record<string, unknown>>;
  /** The next number of a counter: 1, 2, 3 ... */
  seq(name: string): number;
  /** The keys of the configuration; absent when there are none. */
  readonly keys?: TokenKeys;
  /** Further names, read as if they were context roots. */
  readonly locals?: Readonly<Record<string, unknown>>;
}

/** The scope with further names; those that it has under the same names are hidden. */
export function withLocals(scope: TemplateScope, locals: Readonly<Record<string, unknown>>): TemplateScope {
  // Every member is named, so that one that is added is not lost here.
  const wider: { readonly [Name in keyof Required<TemplateScope>]: TemplateScope[Name] } = {
    message: scope.message,
    request: scope.request,
    now: scope.now,
    random: scope.random,
    state: (key) => scope.state(key),
    vars: scope.vars,
    seq: (name) => scope.seq(name),
    keys: scope.keys,
    locals: { ...scope.locals, ...locals },
  };
  return wider as TemplateScope;
}
