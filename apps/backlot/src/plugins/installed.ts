import type { Protocol } from '@backlot/core';
import { INSTALLED_PROTOCOLS } from '../installed.generated.js';
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
 * Loads the declarations of all protocols: those that come with the app, then those of further packages. What is heavy
 * in a protocol is loaded when it is started.
 *
 * @throws CommandError when a package is not there or is no protocol, or two have the same kind
 */
export async function loadPlugins(packages: readonly WantedPackage[]): Promise<Plugin[]> {
  const installed = INSTALLED_PROTOCOLS.map(async ({ kind, package: name, load }): Promise<Plugin> => {
    const protocol = findProtocols(await load()).find((claim) => claim.kind === kind);
    if (protocol === undefined)
      throw new CommandError(`package ${name} does not export the protocol "${kind}"`);
    return { protocol: protocol as Protocol, package: name, isBuiltIn: true };
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
