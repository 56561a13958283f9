import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** An address in the memory of the module, and a `lua_State *`. */
export type Pointer = number;

/** What is used of the WebAssembly of the runtime (WebAssembly JavaScript Interface), whose types Node does not bring. */
interface Wasm {
  Module: (new (bytes: Uint8Array) => WasmModule) & {
    imports(module: WasmModule): readonly { readonly module: string; readonly name: string }[];
  };
  Instance: new (
    module: WasmModule,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}
type WasmModule = object;
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface WasmTable {
  get(index: number): (...args: number[]) => unknown;
  set(index: number, f: unknown): void;
  grow(count: number): number;
}

/** The functions of the C interface of Lua 5.1 that are used (Lua 5.1 Reference Manual, chapter 3), and those of C. */
export interface LuaExports {
  readonly memory: WasmMemory;
  readonly __indirect_function_table: WasmTable;
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
  stackSave(): number;
  stackRestore(pointer: number): void;
  setThrew(threw: number, value: number): void;
  malloc(size: number): Pointer;
  free(pointer: Pointer): void;
  luaL_newstate(): Pointer;
  luaL_loadbuffer(L: Pointer, text: Pointer, size: number, name: Pointer): number;
  luaL_ref(L: Pointer, table: number): number;
  luaL_unref(L: Pointer, table: number, reference: number): void;
  luaL_where(L: Pointer, level: number): void;
  luaL_argerror(L: Pointer, argument: number, message: Pointer): number;
  luaL_checknumber(L: Pointer, argument: number): number;
  luaL_checklstring(L: Pointer, argument: number, size: Pointer): Pointer;
  luaL_checktype(L: Pointer, argument: number, type: number): void;
  luaL_getmetafield(L: Pointer, index: number, name: Pointer): number;
  luaopen_base(L: Pointer): number;
  luaopen_table(L: Pointer): number;
  luaopen_string(L: Pointer): number;
  luaopen_math(L: Pointer): number;
  luaopen_debug(L: Pointer): number;
  lua_checkstack(L: Pointer, more: number): number;
  lua_concat(L: Pointer, count: number): void;
  lua_createtable(L: Pointer, items: number, fields: number): void;
  lua_error(L: Pointer): number;
  lua_gc(L: Pointer, what: number, data: number): number;
  lua_getinfo(L: Pointer, what: Pointer, into: Pointer): number;
  lua_getstack(L: Pointer, level: number, into: Pointer): number;
  lua_gettop(L: Pointer): number;
  lua_getfield(L: Pointer, index: number, name: Pointer): void;
  lua_getmetatable(L: Pointer, index: number): number;
  lua_iscfunction(L: Pointer, index: number): number;
  lua_insert(L: Pointer, index: number): void;
  lua_newthread(L: Pointer): Pointer;
  lua_next(L: Pointer, index: number): number;
  lua_objlen(L: Pointer, index: number): number;
  lua_pcall(L: Pointer, args: number, results: number, handler: number): number;
  lua_pushboolean(L: Pointer, value: number): void;
  lua_pushcclosure(L: Pointer, f: number, upvalues: number): void;
  lua_pushlightuserdata(L: Pointer, pointer: Pointer): void;
  lua_pushlstring(L: Pointer, text: Pointer, size: number): void;
  lua_pushnil(L: Pointer): void;
  lua_pushnumber(L: Pointer, value: number): void;
  lua_pushvalue(L: Pointer, index: number): void;
  lua_rawget(L: Pointer, index: number): void;
  lua_rawgeti(L: Pointer, index: number, at: number): void;
  lua_rawset(L: Pointer, index: number): void;
  lua_rawseti(L: Pointer, index: number, at: number): void;
  lua_remove(L: Pointer, index: number): void;
  lua_replace(L: Pointer, index: number): void;
  lua_resume(L: Pointer, args: number): number;
  lua_setfenv(L: Pointer, index: number): number;
  lua_setfield(L: Pointer, index: number, name: Pointer): void;
  lua_sethook(L: Pointer, hook: number, mask: number, count: number): number;
  lua_setmetatable(L: Pointer, index: number): number;
  lua_settop(L: Pointer, top: number): void;
  lua_tocfunction(L: Pointer, index: number): number;
  lua_toboolean(L: Pointer, index: number): number;
  lua_tolstring(L: Pointer, index: number, size: Pointer): Pointer;
  lua_tonumber(L: Pointer, index: number): number;
  lua_tothread(L: Pointer, index: number): Pointer;
  lua_topointer(L: Pointer, index: number): Pointer;
  lua_type(L: Pointer, index: number): number;
  lua_xmove(from: Pointer, to: Pointer, count: number): void;
  lua_yield(L: Pointer, results: number): number;
}

/** What a `longjmp` of C throws. */
const LONGJMP = Symbol('longjmp');
const PAGE = 65_536;

const load = createRequire(import.meta.url);
let compiled: WasmModule | undefined;

/**
 * Makes an instance of Lua 5.1 with a memory of its own. Of what the module would import from a system there is memory,
 * `longjmp` and an empty environment, and nothing else: it reaches no file, no clock and no network.
 *
 * @param maxMemory - most bytes that its memory grows to; what needs more fails with "not enough memory"
 */
export function instantiateLua(maxMemory: number): LuaExports {
  const { Module, Instance } = wasm();
  // Compiled when the first script comes, and kept for every server of the process.
  compiled ??= new Module(readFileSync(load.resolve('wasmoon-lua5.1/dist/liblua5.1.wasm')));
  const imports: Record<string, Record<string, () => unknown>> = {};
  for (const { module, name } of Module.imports(compiled)) {
    imports[module] ??= {};
    imports[module][name] = refuse(name);
  }
  Object.assign(imports.env ?? {}, {
    invoke_vii(index: number, first: number, second: number) {
      const stack = x.stackSave();
      try {
        x.__indirect_function_table.get(index)(first, second);
      } catch (thrown) {
        x.stackRestore(stack);
        if (thrown !== LONGJMP) throw thrown;
        x.setThrew(1, 0);
      }
    },
    _emscripten_throw_longjmp() {
      // oxlint-disable-next-line typescript/only-throw-error -- No error: the way back into C.
      throw LONGJMP;
    },
    emscripten_memcpy_js(to: number, from: number, size: number) {
      new Uint8Array(x.memory.buffer).copyWithin(to, from, from + size);
    },
    emscripten_resize_heap(size: number) {
      const wanted = Math.min(Math.ceil((size >>> 0) / PAGE) * PAGE, maxMemory);
      if (wanted < size >>> 0) return 0;
      try {
        x.memory.grow((wanted - x.memory.buffer.byteLength) / PAGE);
        return 1;
      } catch {
        return 0;
      }
    },
    emscripten_date_now: () => 0,
    _emscripten_get_now_is_monotonic: () => 1,
  });
  Object.assign(imports.wasi_snapshot_preview1 ?? {}, {
    environ_sizes_get(count: number, bytes: number) {
      const memory = new DataView(x.memory.buffer);
      memory.setUint32(count, 0, true);
      memory.setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
  });
  const { exports } = new Instance(compiled, imports);
  const x = exports as unknown as LuaExports;
  x.emscripten_stack_init();
  x.__wasm_call_ctors();
  return x;
}

function wasm(): Wasm {
  return (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(`Lua asked for "${name}", which it does not have here`);
  };
}

/** A module that gives a function of JavaScript as one of WebAssembly: `(i32) -> i32`, and `(i32, i32) -> ()`. */
const WRAPPERS = {
  function: [0x60, 1, 0x7f, 1, 0x7f],
  hook: [0x60, 2, 0x7f, 0x7f, 0],
} as const;

/** Puts a function where C finds it, and gives its index. */
export function addFunction(
  x: LuaExports,
  kind: keyof typeof WRAPPERS,
  f: (...args: number[]) => number | undefined,
): number {
  const { Module, Instance } = wasm();
  const type = WRAPPERS[kind];
  const bytes = Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, type.length + 1, 1, ...type],
    ...[2, 7, 1, 1, 0x65, 1, 0x66, 0, 0],
    ...[7, 5, 1, 1, 0x66, 0, 0],
  ]);
  const { exports } = new Instance(new Module(bytes), { e: { f } });
  const table = x.__indirect_function_table;
  const index = table.grow(1);
  table.set(index, exports.f);
  return index;
}
