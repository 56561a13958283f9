import { unknownField } from '@backlot/core';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CommandError } from '../cli/command-error.js';
import { isPath, locatePlugin } from '../plugins/plugin-package.js';

/** The package with the services that come with the app. */
const PACKAGE = '@backlot/services';
const FILE = 'service.yaml';

/** The services that come with the app, unless their package was left out; by name. */
export function listServices(): ReadonlyMap<string, string> {
  let top: string;
  try {
    top = join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), 'services');
  } catch {
    return new Map();
  }
  const names = readdirSync(top, { withFileTypes: true }).map(({ name }) => name);
  return new Map(
    names
      .sort()
      .map((name): [string, string] => [name, join(top, name, FILE)])
      .filter(([, file]) => existsSync(file)),
  );
}

/**
 * Finds the file of a service: one that comes with the app by its name, else a package whose package.json has
 * `"backlot": {"service": "./service.yaml"}`, or what a path with a dot in front leads to.
 *
 * @param folder - where packages are looked for, and where a path starts
 * @param own - those that come with the app
 * @throws CommandError when it is not there
 */
export function findService(
  name: string,
  folder: string,
  own: ReadonlyMap<string, string> = listServices(),
): string {
  const file = own.get(name);
  if (file !== undefined) return file;
  let place: string;
  try {
    place = locatePlugin(name, folder);
  } catch (error) {
    if (isPath(name)) throw new CommandError((error as Error).message.replace(/^plugin/, 'service'));
    throw new CommandError(describeUnknown(name, [...own.keys()]));
  }
  if (place.endsWith('.yaml') || place.endsWith('.yml') || place.endsWith('.json')) return place;
  const named = namedByPackage(name, place);
  if (existsSync(named)) return named;
  throw new CommandError(`service "${name}": there is no ${named}`);
}

function describeUnknown(name: string, known: readonly string[]): string {
  if (known.length === 0)
    return `service "${name}" is not there: the package ${PACKAGE} is not installed; install it with "npm install ${PACKAGE}"`;
  return `${unknownField(name, known).replace('unknown field', 'unknown service')}; a service of a package is given by the name of that package, and one of your own by a path such as "./services/${name}"`;
}

function namedByPackage(name: string, place: string): string {
  const file = join(place, 'package.json');
  if (!existsSync(file)) return join(place, FILE);
  let manifest: { readonly backlot?: { readonly service?: unknown } } | null;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8')) as typeof manifest;
  } catch (error) {
    throw new CommandError(`service "${name}": ${file} cannot be read: ${(error as Error).message}`);
  }
  const service = manifest?.backlot?.service;
  if (typeof service === 'string') return join(place, service);
  throw new CommandError(
    `package "${name}" brings no service: its package.json has no "backlot": {"service": "./service.yaml"}`,
  );
}
