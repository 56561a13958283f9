import type { HostOptions, Protocol } from '@backlot/core';
import { wishForCertificate } from '@backlot/kit';
import { createWebhooks } from '@backlot/webhooks';
import { loadConfig } from '../cli/load-config.js';
import { planServer, type Overrides, type ServerPlan } from './plan.js';

/** What `createHost` takes for a plan; asks for the certificate that the plan wants. */
export function hostOptionsOf(plan: ServerPlan): Omit<HostOptions, 'protocols'> {
  const { hosts, keep } = plan.tls;
  if (hosts !== undefined || keep !== undefined) {
    wishForCertificate({
      ...(hosts === undefined ? {} : { hosts }),
      ...(keep === undefined ? {} : { folder: keep }),
    });
  }
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
  const { settings, protocols } = await loadConfig(file);
  return { ...hostOptionsOf(planServer(settings, protocols, overrides)), protocols };
}
