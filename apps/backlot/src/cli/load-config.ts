import type { Protocol } from '@backlot/core';
import { checkConfig } from '../config/check.js';
import { findConfigFile } from '../config/find-file.js';
import { loadFunctions } from '../config/functions.js';
import { openConfig, openNothing, type OpenedConfig } from '../config/open.js';
import type { FileSettings } from '../config/settings.js';
import { loadPlugins } from '../plugins/installed.js';
import type { Plugin } from '../plugins/plugin.js';
import type { ServiceFlags, WantedService } from '../services/wanted.js';

/** A configuration and the protocols it is for. */
export interface LoadedConfig {
  /** Absent when there is no file. */
  readonly opened: OpenedConfig | undefined;
  readonly settings: FileSettings | undefined;
  readonly plugins: readonly Plugin[];
  readonly protocols: readonly Protocol[];
  /** The services that the file and flags name, whose parts are in the settings. */
  readonly services: readonly WantedService[];
}

/** Which protocols a command is about, beside those that the file has a block for. */
export interface Wanted {
  /** The only ones to start; all of the file, and without a file all there are, when absent. */
  readonly only?: readonly string[] | undefined;
  /** Further ones that a flag names. */
  readonly named?: Iterable<string>;
  /** Services that a flag names, beside those of the file. */
  readonly services?: readonly string[] | undefined;
  /** Ports by the names of services, over those of the file. */
  readonly ports?: ReadonlyMap<string, number>;
}

/**
 * Loads the configuration file that was named, else the one of the current folder unless `false` stands for none, and the protocols: of those that
 * nothing asks for only manifests.
 *
 * @param packages - further plugins, beside those that the file names
 * @throws ConfigError with every problem of the file; CommandError when a plugin cannot be loaded
 */
export async function loadConfig(
  named: string | false | undefined,
  packages: readonly string[] = [],
  { only, named: namedKinds = [], services: further = [], ports }: Wanted = {},
): Promise<LoadedConfig> {
  const folder = process.cwd();
  const file = named === false ? undefined : (named ?? findConfigFile(folder));
  const { opened, services } = await addServices(
    file === undefined ? undefined : openConfig(file, folder, process.env),
    { names: further, ...(ports === undefined ? {} : { ports }) },
    folder,
  );
  const fromFile =
    opened === undefined ? [] : opened.plugins.map((name) => ({ name, from: opened.source.folder }));
  const kinds = new Set([
    ...(only ?? []),
    ...namedKinds,
    ...(opened === undefined ? [] : kindsOf(opened.root)),
  ]);
  const plugins = await loadPlugins(
    [...fromFile, ...packages.map((name) => ({ name, from: folder }))],
    opened === undefined && only === undefined ? undefined : (kind) => kinds.has(kind),
  );
  const protocols = plugins.map(({ protocol }) => protocol);
  const settings =
    opened === undefined
      ? undefined
      : checkConfig(opened, protocols, await loadFunctions(opened.root, opened, protocols));
  return { opened, settings, plugins, protocols, services };
}

/** What reads services is loaded where somebody asks for one. */
async function addServices(
  opened: OpenedConfig | undefined,
  flags: ServiceFlags,
  folder: string,
): Promise<Pick<LoadedConfig, 'opened' | 'services'>> {
  if (flags.names.length === 0 && opened?.root['services'] === undefined) return { opened, services: [] };
  const { openWithServices } = await import('../services/open-with-services.js');
  return openWithServices(opened ?? openNothing(folder), flags);
}

/** The kinds that a file has a block for, or a fault in a scenario. */
function kindsOf({ protocols, scenarios }: OpenedConfig['root']): string[] {
  const faults = Array.isArray(scenarios)
    ? scenarios.flatMap((scenario) => keysOf(valueAt(scenario, 'faults')))
    : [];
  return [...keysOf(protocols), ...faults];
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
