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

/** What a template can see and do while one message is answered. */
export interface TemplateScope {
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
  /** Further names, read as if they were context roots. */
  readonly locals?: Readonly<Record<string, unknown>>;
}
