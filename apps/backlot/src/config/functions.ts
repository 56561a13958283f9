import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  standForFunction,
  type FunctionName,
  type Problem,
  type Protocol,
  type RespondFunction,
} from '@backlot/core';
import { isPath } from '../plugins/plugin-package.js';
import { pointTo } from './pointer.js';

type Tree = Readonly<Record<string, unknown>>;

/** The functions that the mocks of a file name. */
export interface LoadedFunctions {
  /** What stands for each, by the JSON pointer of the field that names it. */
  readonly byPointer: ReadonlyMap<string, FunctionName>;
  /** Modules that cannot be loaded, and functions that they do not have. */
  readonly problems: readonly Problem[];
}

/** For a file whose mocks name none. */
export const NO_FUNCTIONS: LoadedFunctions = { byPointer: new Map(), problems: [] };

/** Where the mocks of a file come from. */
export interface MockOrigins {
  /** The folder where paths of what stands at a pointer start, and where packages are looked for. */
  folderOf(pointer: string): string;
  /** Whether what stands at a pointer comes with the app, whose tests have called its functions. */
  isTested(pointer: string): boolean;
}

/**
 * Loads the functions that mocks name by `respond: {module, export}`. Each module is loaded once: now, or with the first call
 * when it comes with the app.
 *
 * @param root - the file's value
 */
export async function loadFunctions(
  root: Tree,
  origins: MockOrigins,
  protocols: readonly Protocol[],
): Promise<LoadedFunctions> {
  const byPointer = new Map<string, FunctionName>();
  const problems: Problem[] = [];
  for (const { at, name } of findNames(root, protocols)) {
    // What cannot be had is a problem already, and nothing else is to be said of the mock for that.
    let make: RespondFunction = () => undefined;
    const folder = origins.folderOf(at);
    try {
      make = origins.isTested(at)
        ? loadedByCall(name, folder)
        : findExport(await load(name.module, folder), name);
    } catch (error) {
      problems.push({ path: at, message: error instanceof Error ? error.message : String(error) });
    }
    byPointer.set(at, standForFunction(make, name));
  }
  return { byPointer, problems };
}

/**
 * Puts what stands for the functions into the mocks of a file.
 *
 * @param root - the file's value, which is changed
 */
export function placeFunctions(
  root: Tree,
  protocols: readonly Protocol[],
  { byPointer }: LoadedFunctions,
): void {
  if (byPointer.size === 0) return;
  for (const { mock, at } of findMocks(root, protocols)) {
    const stand = byPointer.get(`${at}/respond`);
    if (stand !== undefined) (mock as { respond: unknown })['respond'] = stand;
  }
}

/** A function whose module is loaded when it is called first. */
function loadedByCall(name: ModuleExport, folder: string): RespondFunction {
  let loaded: RespondFunction | undefined;
  return (request, context) => {
    if (loaded !== undefined) return loaded(request, context);
    return load(name.module, folder).then((exported) => {
      loaded = findExport(exported, name);
      return loaded(request, context);
    });
  };
}

type ModuleExport = FunctionName & { readonly module: string };

function* findNames(
  root: Tree,
  protocols: readonly Protocol[],
): Generator<{ readonly at: string; readonly name: ModuleExport }> {
  for (const { mock, at } of findMocks(root, protocols)) {
    const { respond } = mock;
    if (!isObject(respond)) continue;
    const { module } = respond;
    if (typeof module !== 'string') continue;
    yield { at: `${at}/respond`, name: { ...respond, module } };
  }
}

/** The mocks of a file that name a function, in all lists that their kinds have, with their JSON pointers. */
function* findMocks(
  { protocols: blocks }: Tree,
  protocols: readonly Protocol[],
): Generator<{ readonly mock: Tree; readonly at: string }> {
  if (!isObject(blocks)) return;
  for (const { kind, mocks } of protocols) {
    if (!Object.hasOwn(blocks, kind)) continue;
    for (const pointer of [`/${mocks.configKey}`, ...(mocks.furtherLists ?? [])]) {
      const steps = [...pointer.split('/').slice(1), '*'];
      for (const { value, at } of follow(blocks[kind], steps, pointTo('/protocols', kind)))
        if (isObject(value)) yield { mock: value, at };
    }
  }
}

/** What the steps lead to; `*` is each element of a list, at the end each that names a function. */
function* follow(
  value: unknown,
  [step, ...rest]: readonly string[],
  at: string,
): Generator<{ readonly value: unknown; readonly at: string }> {
  if (step === undefined) yield { value, at };
  else if (step !== '*') {
    if (isObject(value) && Object.hasOwn(value, step)) yield* follow(value[step], rest, pointTo(at, step));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      // Of very many mocks the pointers would take longer than the look at them.
      if (rest.length > 0 || namesFunction(item)) yield* follow(item, rest, pointTo(at, String(index)));
    }
  }
}

function namesFunction(mock: unknown): boolean {
  return isObject(mock) && isObject(mock['respond']);
}

async function load(name: string, folder: string): Promise<Tree> {
  let file: string;
  try {
    file = isPath(name) ? resolve(folder, name) : createRequire(join(folder, 'of-the-file.js')).resolve(name);
  } catch {
    throw new Error(
      `there is no package "${name}" for ${folder}; a file in that folder is written with a dot, as in "./${name}"`,
    );
  }
  try {
    return (await import(pathToFileURL(file).href)) as Tree;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`module "${name}" cannot be loaded: ${why.trim().replaceAll(/\s*\n\s*/g, ' ')}`, {
      cause: error,
    });
  }
}

/** A module of CommonJS may have what it exports in its default alone. */
function findExport(exported: Tree, { module, export: wanted = 'default' }: ModuleExport): RespondFunction {
  const inner = exported['default'];
  for (const from of [exported, isObject(inner) || typeof inner === 'function' ? (inner as Tree) : {}]) {
    const found = Object.hasOwn(from, wanted) ? from[wanted] : undefined;
    if (typeof found === 'function') return found as RespondFunction;
  }
  const names = Object.keys(exported).filter((name) => typeof exported[name] === 'function');
  throw new Error(
    `module "${module}" exports no function "${wanted}"; it exports ${names.length === 0 ? 'none' : names.join(', ')}`,
  );
}

function isObject(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
