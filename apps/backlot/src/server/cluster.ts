import type * as ClusterPackage from '@backlot/cluster';
import { BacklotError, type Host, type HostOptions, type Protocol } from '@backlot/core';
import { commandRunner, type ManagementOptions } from '@backlot/management';
import { freshSeed, type ListenAddress } from '@backlot/core/plugin';
import { CommandError } from '../cli/command-error.js';
import { importOptional } from '../plugins/known.js';
import type { TogetherPort } from './management-port.js';
import type { ClusterPlan, ServerPlan } from './plan.js';

/** Names of packages of which this app may be without. */
const PACKAGE = '@backlot/cluster';

/** What joining a cluster takes beside the plan. */
export interface Joining {
  readonly protocols: readonly Protocol[];
  readonly version: string;
  readonly warn: (text: string) => void;
}

/** A cluster that a server has joined. */
export interface JoinedCluster {
  /** What the host is made with. */
  readonly host: Pick<HostOptions, 'replica' | 'sharedCounts' | 'sharedChanges' | 'sharedPorts'> & {
    readonly seed: number;
  };
  /** How the management port is one of several processes. */
  readonly together?: TogetherPort;
  /** What the management API is made with. */
  readonly management: Pick<ManagementOptions, 'replication' | 'routes'>;
  /**
   * Makes the changes of the cluster on the host, which runs.
   *
   * @param api - where the management port listens
   * @param urlOf - the url of such a place
   * @throws BacklotError `unavailable` when it cannot
   */
  follow(host: Host, api: ListenAddress, urlOf: (address: ListenAddress) => string): Promise<void>;
  /** Says that it leaves, and ends what is open before another one can be in its place. */
  stop(during: () => Promise<void>): Promise<void>;
}

/**
 * Joins the cluster of a plan, before the host is made.
 *
 * @throws CommandError for what a replica cannot have, and when the package is not installed
 * @throws BacklotError when the engine does not answer, or the cluster is of another configuration
 */
export async function joinPlanned(
  plan: ServerPlan,
  cluster: ClusterPlan,
  { version, warn }: Joining,
): Promise<JoinedCluster> {
  refuseToxiproxy(plan, 'replica');
  const exported = await loadClusterPackage('--cluster');
  const { data = 'empty' } = cluster;
  const { replica, seed, routes } = await exported.joinCluster({
    url: cluster.url,
    name: cluster.name,
    ...(cluster.replica === undefined ? {} : { replica: cluster.replica }),
    ...(data === 'replica' ? {} : { home: 'leased', copies: data === 'snapshot' }),
    version,
    settings: { ...commonSettings(plan), ...(data === 'empty' ? {} : { data }) },
    seed: plan.host.seed ?? freshSeed(),
    warn,
  });
  const management = { replication: replica, routes };
  return {
    host: {
      ...{ seed, replica: replica.name },
      ...{ sharedCounts: replica.counts, sharedChanges: replica.matches },
      ...(replica.ports === undefined ? {} : { sharedPorts: replica.ports }),
    },
    management,
    async follow(host, api, urlOf) {
      const address = await exported.addressForOthers(api, cluster.url);
      replica.url = cluster.replicaUrl ?? urlOf(address);
      const handOver = { host: plan.api.host, port: cluster.handOverPort ?? 0 };
      await replica.follow({ host, run: commandRunner(host, management), handOver });
      const { isReady, view } = replica.readiness();
      if (!isReady)
        throw new BacklotError('unavailable', `the replica is not ready: ${String(view['status'])}`);
    },
    stop: (during) => replica.stop(during),
  };
}

/** @param flag - what needs it. @throws CommandError when it is not installed */
export async function loadClusterPackage(flag: string): Promise<typeof ClusterPackage> {
  const exported = await importOptional(PACKAGE, () => import('@backlot/cluster'));
  if (exported !== undefined) return exported;
  throw new CommandError(`${flag} needs the package ${PACKAGE}; install it with "npm install ${PACKAGE}"`);
}

/** @throws CommandError for what changes one process alone */
export function refuseToxiproxy({ toxiproxy }: ServerPlan, what: string): void {
  if (toxiproxy === undefined) return;
  throw new CommandError(
    `Toxiproxy's API changes one ${what} alone, so that there is none; leave the port out, and set toxics by the management API`,
  );
}

/** What all replicas have in common: everything but where they listen. */
export function commonSettings({
  host: { seed: _seed, host: _host, settings, ...rest },
  webhooks,
}: ServerPlan): object {
  const blocks = Object.entries(settings ?? {}).map(([kind, block]) => {
    const { host: _own, port: _port, ...common } = block as Readonly<Record<string, unknown>>;
    return [kind, common];
  });
  return { ...rest, settings: Object.fromEntries(blocks) as unknown, webhooks };
}
