import type { Host, HostOptions, Protocol } from '@backlot/core';
import { wishForCertificate } from '@backlot/kit';
import { createWebhooks } from '@backlot/webhooks';
import { loadConfig } from '../cli/load-config.js';
import { serviceVariablesOf } from '../services/running.js';
import { planServer, type Overrides, type ServerPlan } from './plan.js';

/** Asks for the certificate that a plan wants. */
export function wishForPlan({ tls: { hosts, keep } }: Pick<ServerPlan, 'tls'>): void {
  if (hosts === undefined && keep === undefined) return;
  wishForCertificate({
    ...(hosts === undefined ? {} : { hosts }),
    ...(keep === undefined ? {} : { folder: keep }),
  });
}

/** What `createHost` takes for a plan; asks for the certificate that the plan wants. */
export function hostOptionsOf(plan: ServerPlan): Omit<HostOptions, 'protocols'> {
  wishForPlan(plan);
  const { enabled, allow_hosts: allowHosts } = plan.webhooks;
  return {
    ...plan.host,
    webhooks: createWebhooks({
      ...(enabled === undefined ? {} : { enabled }),
      ...(allowHosts === undefined ? {} : { allowHosts }),
    }),
  };
}

/**
 * Reads a configuration file as the command does: what `createHost` takes for the protocols that it has a block for.
 *
 * @param file - the name of the file; a relative one starts from the current folder
 * @param overrides - what holds whatever the file says, such as `freePorts`
 * @throws ConfigError with every problem of the file; CommandError when a plugin cannot be loaded
 */
export async function readHostOptions(
  file: string,
  overrides: Overrides = {},
): Promise<HostOptions<readonly Protocol[]>> {
  return (await readHost({ config: file }, overrides)).options;
}

/** What a host is made of: a configuration file, services, or both. */
export interface HostSources {
  /** The name of the file; a relative one starts from the current folder. */
  readonly config?: string | undefined;
  /** Services by name, beside those of the file. */
  readonly services?: readonly string[] | undefined;
}

/** What {@link readHost} gives. */
export interface ReadHost {
  readonly options: HostOptions<readonly Protocol[]>;
  /** The environment variables of the services, once the host has started. */
  variablesOf(host: Host): Record<string, string>;
}

/**
 * Reads a configuration file, services, or both, as {@link readHostOptions} does.
 *
 * @throws ConfigError with every problem; CommandError when a plugin or a service is not there
 */
export async function readHost(
  { config, services: named }: HostSources,
  overrides: Overrides = {},
): Promise<ReadHost> {
  const { settings, protocols, services } = await loadConfig(config ?? false, [], { services: named });
  return {
    options: { ...hostOptionsOf(planServer(settings, protocols, overrides)), protocols },
    variablesOf: (host) => serviceVariablesOf(services, host),
  };
}
