import type { SnapshotPart } from '@backlot/core/plugin';
import type { ServerState } from '../server-state.js';
import { fail } from '../wire/errors.js';
import { readLibraryHead, type Library, type LibraryFunction } from './function-library.js';
import type { Registered } from './register-function.js';
import { ScriptEngine } from './script-engine.js';

/** Most libraries, and most bytes of them. */
const MAX_LIBRARIES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** A function that can be called. */
export interface Callable extends LibraryFunction {
  readonly chunk: number;
  readonly engine: ScriptEngine;
}

/** Functions in one Lua. */
interface Ready {
  readonly engine: ScriptEngine;
  readonly functions: Map<string, Registered>;
}

/** The libraries of functions, and the Lua that they are loaded in, which is another than that of scripts. */
export class FunctionBook implements SnapshotPart<readonly Library[]> {
  readonly passes = 'plain';
  readonly #server: ServerState;
  #libraries = new Map<string, Library>();
  #ready: Ready | undefined;

  constructor(server: ServerState) {
    this.#server = server;
  }

  get libraries(): readonly Library[] {
    return [...this.#libraries.values()];
  }

  /** Loads a library, and gives its name. @throws CommandError */
  *load(code: string, isReplacing: boolean): Generator<undefined, string> {
    const { name } = readLibraryHead(code);
    const old = this.#libraries.get(name);
    if (old !== undefined && !isReplacing) fail(`ERR Library '${name}' already exists`);
    const bytes = this.libraries.reduce((sum, library) => sum + library.code.length, code.length);
    if (bytes - (old?.code.length ?? 0) > MAX_BYTES) fail(`ERR libraries have ${MAX_BYTES} bytes at most`);
    if (old === undefined && this.#libraries.size >= MAX_LIBRARIES)
      fail(`ERR there are ${MAX_LIBRARIES} libraries at most`);
    const ready = yield* this.#makeReady();
    const registered = yield* read(ready.engine, code);
    const others = this.libraries.filter((library) => library !== old);
    const taken = others.flatMap(({ functions }) => functions).find((other) => registered.has(other.name));
    if (taken !== undefined) {
      for (const { chunk } of registered.values()) ready.engine.lua.drop(chunk);
      fail(`ERR Function ${taken.name} already exists`);
    }
    this.#remove(name);
    for (const one of registered.values()) ready.functions.set(one.name, one);
    const functions = Array.from(registered.values(), (one) => ({
      name: one.name,
      description: one.description,
      flags: one.flags,
    }));
    this.#libraries.set(name, { name, code, functions });
    return name;
  }

  /** @throws CommandError when there is no such library */
  delete(name: string): void {
    if (!this.#libraries.has(name)) fail('ERR Library not found');
    this.#remove(name);
  }

  clear(): void {
    this.#libraries.clear();
    this.#ready = undefined;
  }

  /** A function by its name. @throws CommandError when there is none */
  *find(name: string): Generator<undefined, Callable> {
    if (!this.libraries.some(({ functions }) => functions.some((one) => one.name === name)))
      fail('ERR Function not found');
    const { engine, functions } = yield* this.#makeReady();
    return { ...(functions.get(name) ?? fail('ERR Function not found')), engine };
  }

  /** Gives a Lua up that cannot be used any more, or is too large: the libraries are loaded anew when they are asked for. */
  giveUp(engine: ScriptEngine): void {
    if (this.#ready?.engine === engine) this.#ready = undefined;
  }

  save(): readonly Library[] {
    return this.libraries;
  }

  restore(saved: readonly Library[]): void {
    this.#libraries = new Map(saved.map((library) => [library.name, library]));
    this.#ready = undefined;
  }

  *#makeReady(): Generator<undefined, Ready> {
    if (this.#ready !== undefined) return this.#ready;
    const ready: Ready = { engine: new ScriptEngine(this.#server, true), functions: new Map() };
    for (const { code } of this.#libraries.values())
      for (const one of (yield* read(ready.engine, code)).values()) ready.functions.set(one.name, one);
    this.#ready = ready;
    return ready;
  }

  #remove(name: string): void {
    for (const { name: own } of this.#libraries.get(name)?.functions ?? []) {
      const known = this.#ready?.functions.get(own);
      if (known !== undefined) this.#ready?.engine.lua.drop(known.chunk);
      this.#ready?.functions.delete(own);
    }
    this.#libraries.delete(name);
  }
}

/** Carries the code of a library out. @throws CommandError */
function* read(engine: ScriptEngine, code: string): Generator<undefined, ReadonlyMap<string, Registered>> {
  const { body } = readLibraryHead(code);
  const chunk = engine.compile(body, '@user_function', (text) => `ERR Error compiling function: ${text}`);
  const registered = new Map<string, Registered>();
  const problem = yield* engine.register(chunk, registered);
  engine.lua.drop(chunk);
  if (problem === undefined && registered.size > 0) return registered;
  for (const one of registered.values()) engine.lua.drop(one.chunk);
  return fail(
    problem === undefined ? 'ERR No functions registered' : `ERR Error registering functions: ${problem}`,
  );
}
