import type { AclUser } from '../acl/acl-user.js';
import type { Args } from '../commands/args.js';
import type { Database } from '../data/database.js';
import type { Encoded } from '../wire/long-reply.js';
import type { Resp } from '../wire/reply.js';
import type { Library, LibraryFunction } from './function-library.js';
import type { Script } from './script-book.js';

/** Who calls a script: the database that its commands begin with, the rules that hold for them, and the types of RESP of the answer. */
export interface ScriptCaller {
  readonly account: AclUser;
  readonly database: Database;
  readonly resp: Resp;
}

/** The script or function that runs. */
export interface RunningScript {
  /** `undefined` for a script. */
  readonly functionName: string | undefined;
  /** What was called: a command and its arguments. */
  readonly command: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether it runs for so long that others are turned away. */
  readonly isBusy: boolean;
}

/** What commands ask of the functions of a server. */
export interface Functions {
  readonly libraries: readonly Library[];
  /** Loads a library, and gives its name. @throws CommandError */
  load(code: string, isReplacing: boolean): Generator<undefined, string>;
  /** @throws CommandError when there is no such library */
  delete(name: string): void;
  clear(): void;
  /** A function by its name. @throws CommandError when there is none */
  find(name: string): Generator<undefined, LibraryFunction>;
}

/** What commands ask of the scripts of a server. */
export interface Scripts {
  /** A script by its text, which is compiled when it is new. @throws CommandError */
  load(text: string): Script;
  /** Whether a script is known. */
  has(sha: string): boolean;
  /** A script by its name. @throws CommandError NOSCRIPT */
  find(sha: string): Script;
  /** Forgets all scripts. */
  flush(): void;
  readonly functions: Functions;
  /** The script or function that runs. */
  readonly running: RunningScript | undefined;
  /** Ends the script that runs. @throws CommandError when there is none, or it has written */
  kill(isFunction: boolean): void;
  /** Ends the script that runs, whatever it has written, for a reason. */
  stop(reason: string): void;
  /** Carries a script out for a client. */
  evaluate(
    script: Script,
    keys: readonly string[],
    command: readonly string[],
    caller: ScriptCaller,
    isReadOnly: boolean,
  ): Generator<unknown, Encoded>;
  /** Carries a function out for a client. */
  callFunction(
    called: LibraryFunction,
    keys: readonly string[],
    command: readonly string[],
    caller: ScriptCaller,
    isReadOnly: boolean,
  ): Generator<unknown, Encoded>;
  /** The error for a command that comes while a script runs for too long; `undefined` when it may be answered. */
  whyBusy(
    args: Args,
    command: { readonly name: string; readonly arity: number } | undefined,
  ): string | undefined;
}
