import { protocolFromOutline, type Protocol } from '@backlot/core';
import { INSTALLED_PROTOCOLS } from '../installed.generated.js';
import { OUTLINES } from '../outlines.generated.js';
import { CommandError } from '../cli/command-error.js';
import { findProtocols, type Plugin } from './plugin.js';
import { locatePlugin } from './plugin-package.js';

/** A package that is asked for. */
export interface WantedPackage {
  /** Its name, or a path. */
  readonly name: string;
  /** The folder where packages are looked for, and where a path starts. */
  readonly from: string;
}

/**
 * Loads the declarations of all protocols: those that come with the app, then those of further packages. Of a kind that
 * comes with the app and is not wanted there is only an outline: its schemas and code cost memory and time at the start.
 *
 * @param isWanted - whether a kind is going to be used; each when absent
 * @throws CommandError when a package is not there or is no protocol, or two have the same kind
 */
export async function loadPlugins(
  packages: readonly WantedPackage[],
  isWanted: (kind: string) => boolean = () => true,
): Promise<Plugin[]> {
  const installed = INSTALLED_PROTOCOLS.map(async (one): Promise<Plugin> => {
    const outline = OUTLINES.find(({ kind }) => kind === one.kind);
    const protocol =
      outline === undefined || isWanted(one.kind)
        ? await loadInstalled(one)
        : protocolFromOutline(outline, () => loadInstalled(one));
    return { protocol, package: one.package, isBuiltIn: true };
  });
  // By place: a file and a flag may name the same one.
  const places = new Map(packages.map(({ name, from }) => [locatePlugin(name, from), name]));
  const further = [...places].map(async ([place, name]) => {
    const { loadPlugin } = await import('./third-party.js');
    return loadPlugin(name, place);
  });
  const plugins = await Promise.all([...installed, ...further]);
  const owners = new Map<string, string>();
  for (const { protocol, package: name } of plugins) {
    const owner = owners.get(protocol.kind);
    if (owner !== undefined) {
      throw new CommandError(
        `protocol "${protocol.kind}" is in two packages: ${owner} and ${name}; leave one of them out`,
      );
    }
    owners.set(protocol.kind, name);
  }
  return plugins;
}

async function loadInstalled({
  kind,
  package: name,
  load,
}: (typeof INSTALLED_PROTOCOLS)[number]): Promise<Protocol> {
  const protocol = findProtocols(await load()).find((claim) => claim.kind === kind);
  if (protocol === undefined)
    throw new CommandError(`package ${name} does not export the protocol "${kind}"`);
  return protocol as Protocol;
}
