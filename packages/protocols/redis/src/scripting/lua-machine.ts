import { Slice } from '@backlot/core/plugin';
import { LuaArgumentError, LuaFailure, LuaType, type LuaFunction } from './lua-values.js';
import { addFunction, instantiateLua, type LuaExports, type Pointer } from './lua-module.js';

export { LuaArgumentError, LuaFailure, LuaType, type LuaFunction };

/** How a turn of a script ended. */
export type Turn = 'done' | 'failed' | 'paused' | 'yielded';

const REGISTRY = -10_000;
/** Where the globals of a thread are, as an index. */
export const GLOBALS = -10_002;
const YIELD = 1;
const MASK_COUNT = 8;
/** Instructions between two questions for the time. */
const COUNT = 10_000;
/** Instructions that may still follow the end of a slice where a script cannot be paused. */
const MOST_UNPAUSED = 2_000_000;
/** Bytes of the place where texts are handed over. */
const SCRATCH = 65_536;
/** Where a `lua_State` of Lua 5.1.5 with 32-bit pointers keeps how deep it is in calls of C, and how deep it was resumed. */
const C_CALLS = 52;
const BASE_C_CALLS = 54;
/** The name of the chunk that prepares Lua; errors name the script that has called it. */
export const OWN_CHUNK = '=prelude';
/** Calls of `pcall` and coroutines within each other, as in Lua (LUAI_MAXCCALLS). */
const MAX_THREADS = 180;

/** One Lua 5.1 with its memory: the way into and out of it, and the pausing of what it runs. */
export class LuaMachine {
  readonly x: LuaExports;
  /** The main thread. */
  readonly main: Pointer;
  /** Instructions that the script may still carry out. */
  instructionsLeft = Infinity;
  /** Why the script is to end; nothing in it can catch that. */
  stopReason: string | undefined;
  readonly slice = new Slice();
  readonly #hook: number;
  readonly #scratch: Pointer;
  readonly #sizeAt: Pointer;
  readonly #names = new Map<string, Pointer>();
  /** The threads that were resumed within each other, the script's own first. */
  readonly #threads: Pointer[] = [];
  #bytes: Buffer;
  #isPaused = false;
  #unpaused = 0;
  /** Whether the time is asked for at the next instruction. */
  #looksSoon = false;
  /** An error that is raised as soon as the script goes on. */
  #raise: { readonly L: Pointer; pushError(): void } | undefined;

  constructor(maxMemory: number) {
    this.x = instantiateLua(maxMemory);
    this.#bytes = Buffer.from(this.x.memory.buffer);
    this.#scratch = this.x.malloc(SCRATCH);
    this.#sizeAt = this.x.malloc(8);
    this.main = this.x.luaL_newstate();
    this.#hook = addFunction(this.x, 'hook', (L = 0) => {
      this.#count(L);
      return undefined;
    });
  }

  /** Bytes of its memory, which never becomes less. */
  get memory(): number {
    return this.x.memory.buffer.byteLength;
  }

  /** A text that C reads, kept for ever: for names that are known beforehand. */
  cName(name: string): Pointer {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const at = this.x.malloc(name.length + 1);
    this.#memory.write(`${name}\0`, at, 'latin1');
    this.#names.set(name, at);
    return at;
  }

  /** Pushes bytes in the form of the wire. @throws LuaFailure when there is no memory */
  push(L: Pointer, text: string): void {
    const { length } = text;
    const at = length <= SCRATCH ? this.#scratch : this.x.malloc(length);
    if (at === 0) throw new LuaFailure('not enough memory', false);
    this.#memory.write(text, at, 'latin1');
    try {
      this.x.lua_pushlstring(L, at, length);
    } finally {
      if (at !== this.#scratch) this.x.free(at);
    }
  }

  /** The bytes of a string, or the text of a number, which becomes a string. */
  text(L: Pointer, index: number): string {
    const at = this.x.lua_tolstring(L, index, this.#sizeAt);
    const bytes = this.#memory;
    return bytes.toString('latin1', at, at + bytes.readUInt32LE(this.#sizeAt));
  }

  /** Where the bytes of a string are, or of the text of a number, which becomes a string; a zero follows them. */
  textPlace(L: Pointer, index: number): { readonly at: Pointer; readonly length: number } {
    const at = this.x.lua_tolstring(L, index, this.#sizeAt);
    return { at, length: this.#memory.readUInt32LE(this.#sizeAt) };
  }

  /** An argument that is to be a string, or a number; raises the error of Lua for anything else. */
  textArgument(L: Pointer, argument: number): string {
    this.x.luaL_checklstring(L, argument, 0);
    return this.text(L, argument);
  }

  /** An argument that is to be a number, or the text of one. */
  numberArgument(L: Pointer, argument: number): number {
    return this.x.luaL_checknumber(L, argument);
  }

  /** The text of the field of a table, when it is a string or a number. */
  textField(L: Pointer, index: number, name: string): string | undefined {
    this.rawField(L, index, name);
    const type = this.x.lua_type(L, -1);
    const text = type === LuaType.string || type === LuaType.number ? this.text(L, -1) : undefined;
    this.pop(L);
    return text;
  }

  /** Pushes the field of a table, past its metatable. */
  rawField(L: Pointer, index: number, name: string): void {
    this.push(L, name);
    this.x.lua_rawget(L, index < 0 && index > REGISTRY ? index - 1 : index);
  }

  /** Sets the field of the table at `index`, which is negative, to what is on top, and takes that off. */
  setField(L: Pointer, index: number, name: string): void {
    this.push(L, name);
    this.x.lua_insert(L, -2);
    this.x.lua_rawset(L, index - 1);
  }

  pop(L: Pointer, count = 1): void {
    this.x.lua_settop(L, -count - 1);
  }

  type(L: Pointer, index: number): number {
    return this.x.lua_type(L, index);
  }

  /** Puts a function where C finds it, and gives its index. */
  makeFunction(f: LuaFunction): number {
    return addFunction(this.x, 'function', (thread = 0) => this.#call(thread, f));
  }

  /** Pushes a function. */
  pushFunction(L: Pointer, f: LuaFunction): void {
    this.x.lua_pushcclosure(L, this.makeFunction(f), 0);
  }

  /** Puts functions into the table on top of the main thread. */
  define(functions: Readonly<Record<string, LuaFunction>>): void {
    for (const [name, f] of Object.entries(functions)) {
      this.pushFunction(this.main, f);
      this.setField(this.main, -2, name);
    }
  }

  /** Compiles a chunk and pushes it, or the error; whether it could be compiled. */
  load(L: Pointer, text: string, name: string): boolean {
    const at = this.x.malloc(text.length + 1);
    if (at === 0) {
      this.push(L, 'not enough memory');
      return false;
    }
    this.#memory.write(text, at, 'latin1');
    try {
      return this.x.luaL_loadbuffer(L, at, text.length, this.cName(name)) === 0;
    } finally {
      this.x.free(at);
    }
  }

  /** Takes what is on top into the registry, and gives its number. */
  keep(L: Pointer): number {
    return this.x.luaL_ref(L, REGISTRY);
  }

  /** Pushes what was kept. */
  pushKept(L: Pointer, reference: number): void {
    this.x.lua_rawgeti(L, REGISTRY, reference);
  }

  drop(reference: number): void {
    this.x.luaL_unref(this.main, REGISTRY, reference);
  }

  /** Makes the table on top the globals of a thread, and takes it off. */
  setGlobals(L: Pointer): void {
    this.x.lua_replace(L, GLOBALS);
  }

  /** Begins or continues a thread with the values on top of its stack. */
  resume(L: Pointer, count: number): Turn {
    this.#isPaused = false;
    this.#looksSoon = false;
    this.#unpaused = 0;
    this.#threads.length = 0;
    this.#threads.push(L);
    this.slice.restart();
    if (this.#raise?.L !== L) this.#setHook(L, this.stopReason === undefined ? COUNT : 1);
    const status = this.x.lua_resume(L, count);
    if (status === 0) return 'done';
    if (status !== YIELD) return 'failed';
    return this.#isPaused ? 'paused' : 'yielded';
  }

  /** Whether the thread that calls a function of ours can be paused. */
  canPause(): boolean {
    return this.#threads.every((L) => this.#canPause(L));
  }

  /** Pauses the thread that calls a function of ours: what is pushed when it is resumed are the results of that function. */
  pause(L: Pointer): number {
    this.#isPaused = true;
    return this.x.lua_yield(L, 0);
  }

  /**
   * Lets the thread that calls a function of ours pause right behind it when the slice is over: for functions that may
   * take long, which count as one instruction.
   */
  pauseSoon(L: Pointer): void {
    if (this.#looksSoon || !this.slice.isOver) return;
    this.#looksSoon = true;
    this.#setHook(L, 1);
  }

  /** Raises an error as soon as a thread that was paused is resumed. */
  raiseOnResume(L: Pointer, pushError: () => void): void {
    this.#raise = { L, pushError };
    this.#setHook(L, 1);
  }

  /** Ends a paused script, whose {@link stopReason} is set, when it goes on. */
  stopSoon(): void {
    for (const L of this.#threads) this.#setHook(L, 1);
  }

  /** Whether an error is raised when the script goes on. */
  get isRaising(): boolean {
    return this.#raise !== undefined;
  }

  /** A thread that was resumed by another. */
  enter(L: Pointer): void {
    if (this.#threads.length >= MAX_THREADS) throw new LuaFailure('C stack overflow');
    this.#threads.push(L);
    if (this.#raise?.L !== L) this.#setHook(L, this.stopReason === undefined ? COUNT : 1);
  }

  /** The end of {@link enter}: whether the thread was paused. */
  leave(): boolean {
    this.#threads.pop();
    return this.#isPaused;
  }

  /** Gives up what the threads have not finished. */
  forget(): void {
    this.#raise = undefined;
    this.#threads.length = 0;
    this.stopReason = undefined;
  }

  /** The source and the line at a level of a thread's stack: 0 is the function that runs. */
  place(L: Pointer): { readonly source: string; readonly line: number } | undefined {
    const at = this.#scratch;
    for (let level = 0; this.x.lua_getstack(L, level, at) === 1; level += 1) {
      this.x.lua_getinfo(L, this.cName('nSl'), at);
      const bytes = this.#memory;
      const line = bytes.readInt32LE(at + 20);
      const source = bytes.readUInt32LE(at + 16);
      if (line < 0) continue;
      const name = bytes.toString('latin1', source, bytes.indexOf(0, source));
      if (name !== OWN_CHUNK) return { source: name, line };
    }
    return undefined;
  }

  /** Its memory, as it is until Lua takes more. */
  get bytes(): Uint8Array {
    return this.#memory;
  }

  get #memory(): Buffer {
    if (this.#bytes.buffer !== this.x.memory.buffer) this.#bytes = Buffer.from(this.x.memory.buffer);
    return this.#bytes;
  }

  #setHook(L: Pointer, count: number): void {
    this.x.lua_sethook(L, this.#hook, MASK_COUNT, count);
  }

  #canPause(L: Pointer): boolean {
    const bytes = this.#memory;
    return bytes.readUInt16LE(L + C_CALLS) <= bytes.readUInt16LE(L + BASE_C_CALLS);
  }

  /** Called by Lua after every so many instructions. */
  #count(L: Pointer): void {
    if (this.#looksSoon) {
      this.#looksSoon = false;
      this.#setHook(L, COUNT);
    }
    const raise = this.#raise;
    if (raise?.L === L) {
      this.#raise = undefined;
      this.#setHook(L, COUNT);
      raise.pushError();
      this.x.lua_error(L);
    }
    this.instructionsLeft -= COUNT;
    if (this.instructionsLeft <= 0)
      this.stopReason ??= 'the script has carried out as many instructions as max_script_instructions allows';
    if (this.stopReason !== undefined) this.#stop(L);
    if (!this.slice.isOver) return;
    if (this.canPause()) {
      this.#isPaused = true;
      this.x.lua_yield(L, 0);
      return;
    }
    this.#unpaused += COUNT;
    if (this.#unpaused > MOST_UNPAUSED) {
      this.stopReason ??= 'a metamethod, or a function called by gsub, foreach or an iterator, ran too long';
      this.#stop(L);
    }
  }

  /** Ends the script. */
  #stop(L: Pointer): void {
    // Whatever catches the error is ended at its first instruction.
    this.#setHook(L, 1);
    for (const thread of this.#threads) this.#setHook(thread, 1);
    this.#fail(L, new LuaFailure(this.stopReason ?? ''));
  }

  #call(L: Pointer, f: LuaFunction): number {
    try {
      return f(L);
    } catch (thrown) {
      if (thrown instanceof LuaArgumentError)
        return this.x.luaL_argerror(L, thrown.argument, this.#cText(thrown.message));
      if (thrown instanceof LuaFailure) return this.#fail(L, thrown);
      throw thrown;
    }
  }

  #fail(L: Pointer, { message, isPlaced }: LuaFailure): number {
    if (isPlaced) this.x.luaL_where(L, 1);
    this.push(L, message);
    if (isPlaced) this.x.lua_concat(L, 2);
    return this.x.lua_error(L);
  }

  #cText(text: string): Pointer {
    this.#memory.write(`${text.slice(0, 500)}\0`, this.#scratch, 'latin1');
    return this.#scratch;
  }
}
