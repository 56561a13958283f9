import { INSTALLED_PROTOCOLS } from '../installed.generated.js';
import { CommandError } from '../cli/command-error.js';
import { importOptional } from './known.js';
import { findProtocol, type Plugin } from './plugin.js';
import { loadPackage } from './third-party.js';

/** A package that is asked for. */
export interface WantedPackage {
  /** Its name, or a path. */
  readonly name: string;
  /** The folder where packages are looked for, and where a path starts. */
  readonly from: string;
}

/**
 * Loads the declarations of all protocols: those that come with the app, unless they were left out when it was
 * installed, then those of further packages. What is heavy in a protocol is loaded when it is started.
 *
 * @throws CommandError when a package is not there or is no protocol, or two have the same kind
 */
export async function loadPlugins(packages: readonly WantedPackage[]): Promise<Plugin[]> {
  const installed = INSTALLED_PROTOCOLS.map(async ({ kind, package: name, load }): Promise<Plugin[]> => {
    const exported = await importOptional<object>(name, load);
    if (exported === undefined) return [];
    const protocol = findProtocol(exported, kind);
    if (protocol === undefined)
      throw new CommandError(`package ${name} does not export the protocol "${kind}"`);
    return [{ protocol, package: name, isBuiltIn: true }];
  });
  const builtIn = (await Promise.all(installed)).flat();
  const names = new Map(packages.map((wanted) => [wanted.name, wanted.from]));
  for (const { package: name } of builtIn) names.delete(name);
  const further = [...names].map(([name, from]) => loadPackage(name, from));
  const plugins = [...builtIn, ...(await Promise.all(further))];
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
