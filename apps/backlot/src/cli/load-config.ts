import type { Protocol } from '@backlot/core';
import { runInSlices } from '@backlot/core/plugin';
import { checkConfigInSlices } from '../config/check.js';
import { findConfigFile } from '../config/find-file.js';
import { loadFunctions } from '../config/functions.js';
import { openNothing, type OpenedConfig } from '../config/open.js';
import { openPartSteps } from '../config/open-parts.js';
import { setValues, settingsOfEnvironment, type GivenSetting } from '../config/set-values.js';
import { ConfigError } from '../config/problem.js';
import type { FileSettings } from '../config/settings.js';
import { withoutUnsetUpstreams } from '../config/unset-upstreams.js';
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
  /** The files that were read, absolute. */
  readonly files: readonly string[];
  /** The folders in which further ones may appear, absolute. */
  readonly folders: readonly string[];
  /** The files that bodies were read from, absolute. */
  readonly bodies: readonly string[];
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
  /** Settings over those of the file and of the environment, as in `protocols.http.port=0`. */
  readonly sets?: readonly string[] | undefined;
  /** Whether the mode of all upstreams is to be `replay`, in which nothing connects to them. */
  readonly replays?: boolean;
}

/**
 * Loads the configuration files that were named, else the one of the current folder unless `false` stands for none, and the
 * protocols: of those that nothing asks for only manifests.
 *
 * @param packages - further plugins, beside those that the file names
 * @throws ConfigError with every problem of the file; CommandError when a plugin cannot be loaded
 */
export async function loadConfig(
  named: string | readonly string[] | false | undefined,
  packages: readonly string[] = [],
  { only, named: namedKinds = [], services: further = [], ports, sets = [], replays = false }: Wanted = {},
): Promise<LoadedConfig> {
  const folder = process.cwd();
  const names = named === false ? [] : namesOf(named, folder);
  const parts = names.length === 0 ? undefined : await runInSlices(openPartSteps(names, folder, process.env));
  const given: GivenSetting[] = [
    ...(named === false ? [] : settingsOfEnvironment(process.env)),
    ...sets.map((text) => ({ by: '--set', text })),
  ];
  const { opened: read, services } = await addServices(
    given.length === 0 ? parts?.opened : setValues(parts?.opened ?? openNothing(folder), given),
    { names: further, ...(ports === undefined ? {} : { ports }) },
    folder,
  );
  const fromFile = read === undefined ? [] : read.plugins;
  const kinds = new Set([...(only ?? []), ...namedKinds, ...(read === undefined ? [] : kindsOf(read.root))]);
  const plugins = await loadPlugins(
    [...fromFile, ...packages.map((name) => ({ name, from: folder }))],
    read === undefined && only === undefined ? undefined : (kind) => kinds.has(kind),
  );
  const protocols = plugins.map(({ protocol }) => protocol);
  const opened = read && withoutUnsetUpstreams(read, protocols, replays);
  const bodies = new Set<string>();
  const { files = [], folders = [] } = parts ?? {};
  let settings: FileSettings | undefined;
  try {
    if (opened !== undefined)
      settings = await checkConfigInSlices(
        opened,
        protocols,
        await loadFunctions(opened.root, opened, protocols),
        (path) => bodies.add(path),
      );
  } catch (error) {
    if (error instanceof ConfigError) error.read = { files: [...files, ...bodies], folders };
    throw error;
  }
  return { opened, settings, plugins, protocols, services, files, folders, bodies: [...bodies] };
}

/** The files that are named, or that a folder has under one of the usual names. */
function namesOf(named: string | readonly string[] | undefined, folder: string): readonly string[] {
  if (typeof named === 'string') return [named];
  if (named !== undefined && named.length > 0) return named;
  const found = findConfigFile(folder);
  return found === undefined ? [] : [found];
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
