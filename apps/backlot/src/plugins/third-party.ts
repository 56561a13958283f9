import { pathToFileURL } from 'node:url';
import { checkProtocol, type Protocol } from '@backlot/core';
import { CommandError } from '../cli/command-error.js';
import { findProtocols, type Claim, type Plugin } from './plugin.js';
import { readEntry } from './plugin-package.js';

/**
 * Loads a protocol from a package whose manifest says `"backlot": {"protocol": "<kind>"}`, or from a module.
 *
 * @param name - as it was given
 * @param place - where `locatePlugin` found it
 * @throws CommandError when it is no protocol that this core can host
 */
export async function loadPlugin(name: string, place: string): Promise<Plugin> {
  const { file, kind } = readEntry(name, place);
  let exported: object;
  try {
    exported = (await import(pathToFileURL(file).href)) as object;
  } catch (error) {
    throw new CommandError(`plugin "${name}" cannot be loaded: ${describe(error, place)}`);
  }
  const claim = choose(name, findProtocols(exported), kind, Object.keys(exported));
  const problems = checkProtocol(claim).map(({ path, message }) => {
    const where = path.slice(1).replaceAll('/', '.');
    return path === '/contract' ? message : `${where}: ${message}`;
  });
  if (problems.length > 0) {
    throw new CommandError(
      `plugin "${name}": protocol "${claim.kind}" cannot be used: ${problems.join('; ')}`,
    );
  }
  return { protocol: claim as Protocol, package: name, isBuiltIn: false };
}

/** What went wrong, on one line; for an author also where. */
function describe(error: unknown, place: string): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.trim().replaceAll(/\s*\n\s*/g, ' ');
  if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
    return `${message}; install what it needs, as in "npm install" in ${place}`;
  }
  const at = /file:\/\/[^\s)]+/.exec(error.stack ?? '')?.[0];
  return `${message}${at === undefined ? '' : ` (${at})`}`;
}

function choose(
  name: string,
  claims: readonly Claim[],
  kind: string | undefined,
  exports: readonly string[],
): Claim {
  const [first] = claims;
  if (first === undefined) {
    const others = exports.length === 0 ? 'nothing' : exports.join(', ');
    throw new CommandError(
      `plugin "${name}" exports no protocol, as defineProtocol makes it; it exports ${others}`,
    );
  }
  const kinds = claims.map((claim) => `"${claim.kind}"`).join(', ');
  if (kind === undefined) {
    if (claims.length === 1) return first;
    throw new CommandError(
      `plugin "${name}" exports several protocols, ${kinds}; name a package whose package.json says which, by "backlot": {"protocol": "<kind>"}`,
    );
  }
  const wanted = claims.find((claim) => claim.kind === kind);
  if (wanted !== undefined) return wanted;
  throw new CommandError(
    `plugin "${name}" does not export the protocol "${kind}" that its package.json names; it exports ${kinds}`,
  );
}
