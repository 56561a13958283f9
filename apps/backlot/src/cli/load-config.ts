import type { Protocol } from '@backlot/core';
import { checkConfig } from '../config/check.js';
import { findConfigFile } from '../config/find-file.js';
import { openConfig, type OpenedConfig } from '../config/open.js';
import type { FileSettings } from '../config/settings.js';
import { loadPlugins } from '../plugins/installed.js';
import type { Plugin } from '../plugins/plugin.js';

/** A configuration and the protocols it is for. */
export interface LoadedConfig {
  /** Absent when there is no file. */
  readonly opened: OpenedConfig | undefined;
  readonly settings: FileSettings | undefined;
  readonly plugins: readonly Plugin[];
  readonly protocols: readonly Protocol[];
}

/**
 * Loads the configuration file that was named, else the one of the current folder, and the protocols.
 *
 * @param packages - further plugins, beside those that the file names
 * @throws ConfigError with every problem of the file; CommandError when a plugin cannot be loaded
 */
export async function loadConfig(
  named: string | undefined,
  packages: readonly string[] = [],
): Promise<LoadedConfig> {
  const folder = process.cwd();
  const file = named ?? findConfigFile(folder);
  const opened = file === undefined ? undefined : openConfig(file, folder, process.env);
  const fromFile =
    opened === undefined ? [] : opened.plugins.map((name) => ({ name, from: opened.source.folder }));
  const plugins = await loadPlugins([...fromFile, ...packages.map((name) => ({ name, from: folder }))]);
  const protocols = plugins.map(({ protocol }) => protocol);
  const settings = opened === undefined ? undefined : checkConfig(opened, protocols);
  return { opened, settings, plugins, protocols };
}
