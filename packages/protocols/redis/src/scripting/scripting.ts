import type { Args, Command } from '../commands/command.js';
import { hasRightCount } from '../commands/table.js';
import type { ServerState } from '../server-state.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import type { Encoded } from '../wire/long-reply.js';
import type { ScriptCaller, Scripts } from './contract.js';
import { FunctionBook } from './function-book.js';
import type { LibraryFunction } from './function-library.js';
import { ScriptBook, shaOf, type Script } from './script-book.js';
import { ScriptEngine } from './script-engine.js';
import { ScriptRun, type ScriptInput } from './script-run.js';
import { ScriptSession } from './session.js';
import { readShebang } from './shebang.js';

/** Lua that has grown beyond this is made anew after a script, since its memory never becomes less. */
const MAX_KEPT = 32 * 1024 * 1024;

/** What is answered while others are turned away (the flag `allow_busy` of Redis 7). */
const ANSWERED_WHEN_BUSY = new Set(
  'reset discard multi auth unwatch watch quit hello script script|kill function function|kill function|stats'.split(
    ' ',
  ),
);

/** What is to be carried out, and what it may do. */
interface Call {
  readonly input: ScriptInput;
  readonly command: readonly string[];
  /** The flags of the script or the function; absent: those of scripts that tell none. */
  readonly flags: ReadonlySet<string> | undefined;
  /** Whether it was called by a command that only reads. */
  readonly isReadOnly: boolean;
  /** The Lua that it is compiled in. */
  readonly engine: ScriptEngine;
}

/** The scripts of a server: those it knows, the Lua they run in, and the one that runs. */
export class Scripting implements Scripts {
  readonly #server: ServerState;
  readonly #book: ScriptBook;
  readonly functions: FunctionBook;
  #engine: ScriptEngine | undefined;
  #session: Session | undefined;
  #running: ScriptRun | undefined;
  /** The Lua that it runs in. */
  #runningIn: ScriptEngine | undefined;

  constructor(server: ServerState) {
    this.#server = server;
    this.functions = new FunctionBook(server);
    this.#book = new ScriptBook(({ chunk, engine }) => {
      if (engine === this.#engine) this.#engine?.lua.drop(chunk);
    });
  }

  /** The script or function that runs. */
  get running(): ScriptRun | undefined {
    return this.#running;
  }

  has(sha: string): boolean {
    return this.#book.get(sha.toLowerCase()) !== undefined;
  }

  /** Bytes that Lua takes. */
  get memory(): number {
    return this.#engine?.lua.memory ?? 0;
  }

  /** Lua, which is made when it is asked for. */
  get engine(): ScriptEngine {
    if (this.#engine !== undefined) return this.#engine;
    const engine = new ScriptEngine(this.#server);
    this.#engine = engine;
    return engine;
  }

  /** The error for a command that comes while a script runs for too long; `undefined` when it may be answered. */
  whyBusy(args: Args, command: Command | undefined): string | undefined {
    const run = this.#running;
    // What is no command, or has too few arguments, is told that.
    if (run?.isBusy !== true || command === undefined || !hasRightCount(command, args)) return undefined;
    const { name } = command;
    const isAnswered =
      name === 'shutdown'
        ? args.slice(1).some((word) => word.toLowerCase() === 'nosave')
        : ANSWERED_WHEN_BUSY.has(name);
    if (isAnswered) return undefined;
    return run.functionName === undefined ? ERRORS.busyScript : ERRORS.busyFunction;
  }

  /** A script by its text, which is compiled when it is new. @throws CommandError */
  load(text: string): Script {
    const sha = shaOf(text);
    const known = this.#book.get(sha);
    if (known !== undefined) return known;
    const { flags } = readShebang(text);
    const script: Script = { sha, text, flags, chunk: 0, engine: undefined };
    this.#compile(script);
    this.#book.add(script);
    return script;
  }

  /** A script by its name. @throws CommandError NOSCRIPT */
  find(sha: string): Script {
    return (sha.length === 40 ? this.#book.get(sha.toLowerCase()) : undefined) ?? fail(ERRORS.noScript);
  }

  /** Forgets all scripts. */
  flush(): void {
    this.#book.clear();
    if (this.#running === undefined) this.#engine = undefined;
  }

  /** Ends the script that runs. @throws CommandError when there is none, or it has written */
  kill(isFunction: boolean): void {
    const run = this.#running ?? fail('NOTBUSY No scripts in execution right now.');
    const runsFunction = run.functionName !== undefined;
    if (runsFunction !== isFunction) fail(runsFunction ? ERRORS.busyFunction : ERRORS.busyScript);
    if (run.hasWritten)
      fail(
        'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.',
      );
    // Redis says this of functions as well.
    this.stop('Script killed by user with SCRIPT KILL...');
  }

  /** Ends the script that runs, whatever it has written, for a reason. */
  stop(reason: string): void {
    if (this.#running === undefined || this.#runningIn === undefined) return;
    const { lua } = this.#runningIn;
    lua.stopReason = reason;
    lua.stopSoon();
  }

  /** Carries a script out for a client. */
  *evaluate(
    script: Script,
    keys: readonly string[],
    command: readonly string[],
    caller: ScriptCaller,
    isReadOnly: boolean,
  ): Generator<unknown, Encoded> {
    if (this.#engine === undefined || script.engine !== this.#engine) this.#compile(script);
    const args = command.slice(3 + keys.length);
    const input = { chunk: script.chunk, name: script.sha, keys, args, isFunction: false };
    const { engine } = this;
    return yield* this.run({ input, command, flags: script.flags, isReadOnly, engine }, caller);
  }

  /** Carries a function out for a client. */
  *callFunction(
    { name }: LibraryFunction,
    keys: readonly string[],
    command: readonly string[],
    caller: ScriptCaller,
    isReadOnly: boolean,
  ): Generator<unknown, Encoded> {
    const { chunk, flags, engine } = yield* this.functions.find(name);
    const input = { chunk, name, keys, args: command.slice(3 + keys.length), isFunction: true };
    return yield* this.run({ input, command, flags, isReadOnly, engine }, caller);
  }

  /** Carries out what is compiled, in slices; nobody else gets at the data meanwhile. */
  *run(
    { input, command, flags, isReadOnly, engine }: Call,
    caller: ScriptCaller,
  ): Generator<unknown, Encoded> {
    const server = this.#server;
    if (flags !== undefined && !flags.has('no-writes')) {
      if (isReadOnly) fail('ERR Can not execute a script with write flag using *_ro command.');
      if (!flags.has('allow-oom') && server.store.used > server.settings.maxMemory)
        fail("OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'");
    }
    this.#session ??= new ScriptSession(server);
    const session = this.#session;
    session.database = caller.database;
    session.account = caller.account;
    session.resp = 2;
    const run = new ScriptRun(session, server.clock.now(), {
      isReadOnly: isReadOnly || flags?.has('no-writes') === true,
      allowsOom: flags?.has('allow-oom') === true,
      command,
      functionName: input.isFunction ? input.name : undefined,
    });
    this.#running = run;
    this.#runningIn = engine;
    const work = engine.run(run, input, caller.resp);
    try {
      for (;;) {
        const step = work.next();
        if (step.done === true) return step.value;
        run.watch(server.clock, () => server.dataQueue.turnAway());
        yield;
      }
    } finally {
      work.return('');
      run.end();
      this.#running = undefined;
      this.#runningIn = undefined;
      if (engine.isBroken || engine.lua.memory > MAX_KEPT) this.#giveUp(engine);
    }
  }

  #giveUp(engine: ScriptEngine): void {
    if (engine === this.#engine) this.#engine = undefined;
    else this.functions.giveUp(engine);
  }

  #compile(script: Script): void {
    const { body } = readShebang(script.text);
    // An engine made anew knows no script.
    const { engine } = this;
    script.chunk = engine.compile(
      body,
      '@user_script',
      (problem) => `ERR Error compiling script (new function): ${problem}`,
    );
    script.engine = engine;
  }
}
