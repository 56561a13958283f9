import { denialOf, scriptRefusalOf } from '../acl/access.js';
import { noteRead } from '../commands/reads.js';
import { findCommand, hasRightCount } from '../commands/table.js';
import { isEncoded, isWork, type Answer } from '../commands/work.js';
import type { ServerState } from '../server-state.js';
import { CommandError, ERRORS } from '../wire/errors.js';
import { beginningOf, weightOf, type Encoded } from '../wire/long-reply.js';
import { error, type Resp } from '../wire/reply.js';
import { LuaFailure, LuaMachine, LuaType, OWN_CHUNK } from './lua-machine.js';
import { FUNCTION_ENVIRONMENT } from './function-environment.js';
import { pushLibraries } from './libraries.js';
import type { Pointer } from './lua-module.js';
import { takeReply } from './lua-to-reply.js';
import { PRELUDE } from './prelude.js';
import { Rand48 } from './random.js';
import { registerFunction, type Registered } from './register-function.js';
import { defineConstants, redisLoadLibrary } from './redis-library.js';
import { isRefused } from './refused-commands.js';
import { finish, given } from './script-answers.js';
import { pushError, pushReply } from './reply-to-lua.js';
import { describeFailure, describeTop } from './script-failures.js';
import { pushInput } from './script-input.js';
import type { ScriptInput, ScriptRun } from './script-run.js';

/** Instructions that the code of a library may carry out when it is loaded. */
const MOST_WHEN_LOADING = 50_000_000;

/** A command of a script that goes on while the script is paused. */
interface Pending {
  readonly L: Pointer;
  readonly raises: boolean;
  readonly work: Generator<unknown, Encoded>;
}

/** Lua with the libraries of Redis, and what carries scripts out in it. */
export class ScriptEngine {
  readonly lua: LuaMachine;
  readonly #server: ServerState;
  readonly #random = new Rand48();
  /** The globals of scripts, in the registry. */
  readonly #globals: number;
  /** The functions that the library that is loaded has registered. */
  readonly #registered = new Map<string, Registered>();
  /** Tells the globals of functions whether a library is loaded. */
  #setLoading = 0;
  /** The table behind the globals, which scripts cannot change. */
  #inner = 0;
  #thread: { readonly L: Pointer; readonly reference: number } | undefined;
  #run: ScriptRun | undefined;
  #pending: Pending | undefined;

  /** @param isForFunctions - whether it has libraries of functions, and no scripts */
  constructor(server: ServerState, isForFunctions = false) {
    this.#server = server;
    this.lua = new LuaMachine(server.settings.maxScriptMemory);
    const globals = this.#prepare();
    this.#globals = isForFunctions ? this.#prepareFunctions() : globals;
  }

  /** Compiles a script, and gives its place in the registry. @throws CommandError */
  compile(text: string, name: string, problem: (text: string) => string): number {
    const { main } = this.lua;
    if (text.startsWith('\x1b')) throw new CommandError(problem('only texts can be loaded'));
    const isCompiled = this.lua.load(main, text, name);
    if (isCompiled) {
      this.lua.pushKept(main, this.#globals);
      this.lua.x.lua_setfenv(main, -2);
      return this.lua.keep(main);
    }
    const message = this.lua.text(main, -1);
    this.lua.pop(main);
    throw new CommandError(problem(message));
  }

  /** Carries the code of a library out, in slices: what it registers is added. Gives what is wrong with it. */
  *register(chunk: number, registered: Map<string, Registered>): Generator<undefined, string | undefined> {
    const { lua } = this;
    lua.instructionsLeft = Math.min(this.#server.settings.maxScriptInstructions, MOST_WHEN_LOADING);
    this.#registered.clear();
    this.#tellLoading(true);
    const L = this.#takeThread();
    lua.pushKept(L, chunk);
    try {
      let turn = lua.resume(L, 0);
      while (turn === 'paused') {
        yield;
        turn = lua.resume(L, 0);
      }
      for (const [name, one] of this.#registered) registered.set(name, one);
      if (turn === 'done') return undefined;
      if (lua.stopReason !== undefined) return 'FUNCTION LOAD timeout';
      if (lua.type(L, -1) === LuaType.table) return lua.textField(L, -1, 'err') ?? 'ERR unknown error';
      return `ERR ${lua.text(L, -1)}`;
    } finally {
      lua.forget();
      this.#dropThread();
      this.#tellLoading(false);
    }
  }

  /** Carries a script out, in slices. */
  *run(run: ScriptRun, input: ScriptInput, client: Resp): Generator<unknown, Encoded> {
    const { lua } = this;
    this.#run = run;
    lua.instructionsLeft = this.#server.settings.maxScriptInstructions;
    const L = this.#takeThread();
    let isWhole = false;
    try {
      let turn = lua.resume(L, pushInput(lua, L, this.#inner, input));
      // Who has begun it takes a further step at once, though the slice may be used up.
      if (turn === 'paused') yield;
      while (turn === 'paused') {
        yield;
        const pending = this.#pending;
        this.#pending = undefined;
        if (pending !== undefined) this.#settle(pending, yield* pending.work);
        turn = lua.resume(L, pending === undefined || lua.isRaising ? 0 : 1);
      }
      if (turn === 'done') {
        isWhole = lua.stopReason === undefined;
        lua.x.lua_checkstack(L, 20);
        // Of several results the first is the answer.
        lua.x.lua_settop(L, 1);
        return takeReply(lua, L, { client, script: run.resp });
      }
      if (turn === 'yielded')
        return describeFailure(lua, L, input.name, 'attempt to yield across metamethod/C-call boundary');
      return describeTop(lua, L, input.name);
    } catch (thrown) {
      return this.#describeThrown(thrown);
    } finally {
      this.#run = undefined;
      this.#pending = undefined;
      lua.forget();
      if (isWhole) lua.x.lua_settop(L, 0);
      else this.#dropThread();
    }
  }

  /** Whether it can be used no more, or has grown so much that a new one is better. */
  isBroken = false;

  #takeThread(): Pointer {
    const { lua } = this;
    if (this.#thread === undefined) {
      const L = lua.x.lua_newthread(lua.main);
      this.#thread = { L, reference: lua.keep(lua.main) };
      lua.pushKept(L, this.#globals);
      lua.setGlobals(L);
    }
    return this.#thread.L;
  }

  #dropThread(): void {
    if (this.#thread !== undefined && !this.isBroken) this.lua.drop(this.#thread.reference);
    this.#thread = undefined;
  }

  /** Carries out what `redis.call` says. */
  #call(L: Pointer, args: readonly string[], raises: boolean): number {
    const { lua } = this;
    const answer = this.#begin(args);
    if (typeof answer === 'string') {
      if (!lua.slice.isOver || !lua.canPause()) return this.#give(L, answer, raises);
      this.#pending = { L, raises, work: given(answer) };
      return lua.pause(L);
    }
    const work = finish(answer);
    if (lua.canPause()) {
      this.#pending = { L, raises, work };
      return lua.pause(L);
    }
    for (;;) {
      const step = work.next();
      if (step.done === true) return this.#give(L, step.value, raises);
    }
  }

  /** The answer to a command of the script, or what makes it. */
  #begin(args: readonly string[]): Answer {
    const run = this.#run;
    const command = findCommand(args);
    if (run === undefined || command === undefined)
      return error('ERR Unknown Redis command called from script');
    const { flags, name } = command;
    if (!hasRightCount(command, args))
      return error('ERR Wrong number of args calling Redis command from script');
    if (isRefused(name)) return error('ERR This Redis command is not allowed from script');
    const { store, settings } = this.#server;
    if (!run.session.account.isUnlimited) {
      const refused = denialOf(run.session, command, args, 'lua');
      if (refused !== undefined) return error(scriptRefusalOf(refused));
    }
    if (flags.includes('w')) {
      if (run.isReadOnly) return error('ERR Write commands are not allowed from read-only scripts.');
      if (store.used > settings.maxMemory && flags.includes('m') && !run.hasWritten && !run.allowsOom)
        return error(ERRORS.memory);
      run.hasWritten = true;
    }
    try {
      const answer = command.run(args, run.session);
      if (store.tracking !== undefined) noteRead(this.#server, command, args);
      if (!isWork(answer)) return isEncoded(answer) ? answer : (answer.inTransaction ?? answer.nothing);
      const step = answer.next();
      if (step.done !== true) return answer;
      return isEncoded(step.value) ? step.value : (step.value.inTransaction ?? step.value.nothing);
    } catch (thrown) {
      if (thrown instanceof CommandError) return error(thrown.message);
      throw thrown;
    }
  }

  #give(L: Pointer, reply: Encoded, raises: boolean): number {
    const text = this.#whole(reply);
    if (raises && text.startsWith('-')) {
      pushError(this.lua, L, text.slice(1, -2));
      return this.lua.x.lua_error(L);
    }
    pushReply(this.lua, L, text, this.#run?.resp ?? 2);
    return 1;
  }

  /** Hands a paused script the answer to its command. */
  #settle({ L, raises }: Pending, reply: Encoded): void {
    const { lua } = this;
    const text = this.#whole(reply);
    if (raises && text.startsWith('-')) lua.raiseOnResume(L, () => pushError(lua, L, text.slice(1, -2)));
    else this.#answerLater(text);
  }

  #answerLater(text: string): void {
    // What resumes a thread hands its arguments through to the function that paused it, however deep.
    const L = this.#thread?.L ?? 0;
    pushReply(this.lua, L, text, this.#run?.resp ?? 2);
  }

  #whole(reply: Encoded): string {
    if (typeof reply === 'string') return reply;
    const weight = weightOf(reply);
    return weight > this.#server.settings.maxScriptMemory / 2
      ? error('ERR the answer is larger than a script can hold')
      : beginningOf(reply, Infinity);
  }

  /** What came out of the machine itself: it is in no state to go on. */
  #describeThrown(thrown: unknown): Encoded {
    this.isBroken = true;
    if (thrown instanceof LuaFailure) return error(`ERR ${thrown.message}`);
    if (thrown instanceof RangeError) return error('ERR the script needs more stack than there is');
    throw thrown;
  }

  #tellLoading(isLoading: boolean): void {
    const { lua } = this;
    lua.pushKept(lua.main, this.#setLoading);
    lua.x.lua_pushboolean(lua.main, isLoading ? 1 : 0);
    lua.x.lua_pcall(lua.main, 1, 0, 0);
  }

  /** Gives the place of the globals of functions. */
  #prepareFunctions(): number {
    const { lua } = this;
    const { x, main } = lua;
    if (!lua.load(main, FUNCTION_ENVIRONMENT, OWN_CHUNK)) throw new Error(lua.text(main, -1));
    lua.pushKept(main, this.#inner);
    x.lua_createtable(main, 0, 8);
    lua.define({
      ...redisLoadLibrary(lua, (level, text) => this.#log(level, text)),
      register_function: registerFunction(lua, this.#registered),
    });
    defineConstants(lua);
    if (x.lua_pcall(main, 2, 2, 0) !== 0) throw new Error(lua.text(main, -1));
    this.#setLoading = lua.keep(main);
    return lua.keep(main);
  }

  #log(level: number, text: string): void {
    if (level === 3) this.#server.warn(text);
  }

  /** Puts the libraries into Lua, and gives the place of the globals. */
  #prepare(): number {
    const { lua } = this;
    const { x, main } = lua;
    for (const open of ['luaopen_base', 'luaopen_table', 'luaopen_string', 'luaopen_math'] as const) {
      x[open](main);
      x.lua_settop(main, 0);
    }
    pushLibraries(lua, this.#random, this.#server.clock, {
      call: (L, args, raises) => this.#call(L, args, raises),
      setResp: (resp) => {
        if (this.#run !== undefined) this.#run.session.resp = resp;
      },
      log: (level, text) => this.#log(level, text),
      isRunning: () => this.#run !== undefined,
    });
    if (!lua.load(main, PRELUDE, OWN_CHUNK)) throw new Error(lua.text(main, -1));
    x.lua_insert(main, 1);
    if (x.lua_pcall(main, 2, 2, 0) !== 0) throw new Error(lua.text(main, -1));
    this.#inner = lua.keep(main);
    return lua.keep(main);
  }
}
