import { protocolFromManifest, type Protocol } from '@backlot/core';
import { INSTALLED_PROTOCOLS } from '../installed.generated.js';
import { MANIFESTS } from '../manifests.generated.js';
import { CommandError } from '../cli/command-error.js';
import { importOptional, isInstalled } from './known.js';
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
 * Loads the declarations of all protocols: those that come with the app, unless they were left out when it was
 * installed, then those of further packages. Of a kind that comes with the app and is not wanted there is only an
 * manifest: its schemas and code cost memory and time at the start.
 *
 * @param isWanted - whether a kind is going to be used; each when absent
 * @throws CommandError when a package is not there or is no protocol, or two have the same kind
 */
export async function loadPlugins(
  packages: readonly WantedPackage[],
  isWanted: (kind: string) => boolean = () => true,
): Promise<Plugin[]> {
  const installed = INSTALLED_PROTOCOLS.map(async (one): Promise<Plugin[]> => {
    const manifest = MANIFESTS.find(({ kind }) => kind === one.kind);
    if (manifest !== undefined && !isWanted(one.kind)) {
      if (!isInstalled(one.package)) return [];
      const load = (): Promise<Protocol> => one.load().then((exported) => findBuiltIn(one, exported));
      return [{ protocol: protocolFromManifest(manifest, load), package: one.package, isBuiltIn: true }];
    }
    const exported = await importOptional<object>(one.package, one.load);
    if (exported === undefined) return [];
    return [{ protocol: findBuiltIn(one, exported), package: one.package, isBuiltIn: true }];
  });
  const builtIn = (await Promise.all(installed)).flat();
  const names = new Set(builtIn.map(({ package: name }) => name));
  // By place: a file and a flag may name the same one.
  const places = new Map(
    packages.filter(({ name }) => !names.has(name)).map(({ name, from }) => [locatePlugin(name, from), name]),
  );
  const further = [...places].map(async ([place, name]) => {
    const { loadPlugin } = await import('./third-party.js');
    return loadPlugin(name, place);
  });
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

function findBuiltIn(
  { kind, package: name }: (typeof INSTALLED_PROTOCOLS)[number],
  exported: object,
): Protocol {
  const protocol = findProtocols(exported).find((claim) => claim.kind === kind);
  if (protocol === undefined)
    throw new CommandError(`package ${name} does not export the protocol "${kind}"`);
  return protocol as Protocol;
}
