import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError } from '../cli/command-error.js';
import { findProtocol, type Plugin } from './plugin.js';

interface Manifest {
  readonly exports?: unknown;
  readonly main?: unknown;
  readonly backlot?: { readonly protocol?: unknown };
}

const CONDITIONS = ['node', 'import', 'module-sync', 'default'];

/**
 * Loads a protocol from a package whose manifest says `"backlot": {"protocol": "<kind>"}`, or from a path that begins
 * with a dot: a folder with such a manifest, or a module.
 *
 * @param folder - where the search for the package starts
 * @throws CommandError when it is not there or is no protocol
 */
export async function loadPackage(name: string, folder: string): Promise<Plugin> {
  const place = isPath(name) ? resolve(folder, name) : findPackage(name, folder);
  if (place === undefined || !existsSync(place)) {
    throw new CommandError(
      `plugin "${name}" is not there (looked from ${folder}); install it, as in "npm install ${name}"`,
    );
  }
  const isModule = statSync(place).isFile();
  const kind = isModule ? undefined : kindOf(place, name);
  const entry = isModule ? place : entryOf(place, name);
  let exported: object;
  try {
    exported = (await import(pathToFileURL(entry).href)) as object;
  } catch (error) {
    throw new CommandError(
      `plugin "${name}" cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const protocol = findProtocol(exported, kind);
  if (protocol === undefined) {
    throw new CommandError(
      `plugin "${name}" does not export a protocol${kind === undefined ? '' : ` "${kind}"`}, as defineProtocol makes it`,
    );
  }
  return { protocol, package: name, isBuiltIn: false };
}

function isPath(name: string): boolean {
  return name.startsWith('.') || isAbsolute(name);
}

function findPackage(name: string, folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (dirname(at) === at) return undefined;
  }
}

function readManifest(place: string, name: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;
  } catch {
    throw new CommandError(`plugin "${name}" has no package.json that can be read`);
  }
}

function kindOf(place: string, name: string): string {
  const kind = readManifest(place, name).backlot?.protocol;
  if (typeof kind === 'string') return kind;
  throw new CommandError(
    `package "${name}" is no plugin: its package.json has no "backlot": {"protocol": "<kind>"}`,
  );
}

function entryOf(place: string, name: string): string {
  const { exports, main } = readManifest(place, name);
  const top: unknown =
    typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports;
  const entry = byCondition(top) ?? (typeof main === 'string' ? main : 'index.js');
  return join(place, entry);
}

function byCondition(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const found = CONDITIONS.includes(condition) ? byCondition(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
