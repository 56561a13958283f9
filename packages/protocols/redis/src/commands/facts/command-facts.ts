/** How the place of keys is told (redis.io, "Command key specifications"). */
export interface KeySpec {
  readonly notes?: string;
  readonly flags: readonly string[];
  readonly begin_search:
    | { readonly type: 'index'; readonly spec: { readonly index: number } }
    | { readonly type: 'keyword'; readonly spec: { readonly keyword: string; readonly startfrom: number } }
    | { readonly type: 'unknown'; readonly spec: object };
  readonly find_keys:
    | {
        readonly type: 'range';
        readonly spec: { readonly lastkey: number; readonly keystep: number; readonly limit: number };
      }
    | {
        readonly type: 'keynum';
        readonly spec: { readonly keynumidx: number; readonly firstkey: number; readonly keystep: number };
      }
    | { readonly type: 'unknown'; readonly spec: object };
}

/** What COMMAND tells of a command (redis.io, command page of COMMAND). */
export interface CommandFacts {
  /** In lower case; that of a subcommand is `container|name`. */
  readonly name: string;
  readonly arity: number;
  readonly flags: readonly string[];
  readonly keys: readonly [first: number, last: number, step: number];
  /** With their `@`. */
  readonly categories: readonly string[];
  readonly tips: readonly string[];
  readonly keySpecs: readonly KeySpec[];
  readonly subcommands: readonly CommandFacts[];
}

/** What COMMAND DOCS tells of a command. */
export interface CommandDocs {
  readonly summary: string;
  readonly since: string;
  readonly group: string;
  readonly subcommands?: Readonly<Record<string, CommandDocs>>;
}
