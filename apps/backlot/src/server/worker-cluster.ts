import { BacklotError } from '@backlot/core';
import { freshSeed } from '@backlot/core/plugin';
import { commandRunner } from '@backlot/management';
import { loadClusterPackage, type JoinedCluster, type Joining } from './cluster.js';
import type { ServerPlan, WorkerPlan } from './plan.js';

/**
 * Joins the processes that serve the same ports, before the host is made.
 *
 * @throws BacklotError when the process that has started this one has gone
 */
export async function joinAsWorker(
  plan: ServerPlan,
  worker: WorkerPlan,
  { version, warn }: Joining,
): Promise<JoinedCluster> {
  const { joinCluster, RELOAD } = await loadClusterPackage('--workers');
  const { end } = worker;
  const { replica, seed, routes } = await joinCluster({
    ...{ url: end.log, name: 'workers', replica: end.replica, home: { name: end.home }, version, warn },
    // One process has read the configuration for all, which they read again together.
    settings: {},
    seed: plan.host.seed ?? freshSeed(),
  });
  const management = { replication: replica, routes };
  return {
    host: {
      ...{ seed, replica: replica.name, sharedPorts: end.ports },
      ...{ sharedCounts: replica.counts, sharedChanges: replica.matches },
    },
    management,
    together: {
      ports: end.ports,
      onOwnPort: ({ host, port }) => {
        replica.url = `http://${host}:${port}`;
      },
    },
    async follow(host) {
      const run = commandRunner(host, management);
      await replica.follow({
        host,
        async run(command) {
          if (command.route !== RELOAD) return await run(command);
          // Whoever only comes has read the newest one, unless it was just changed.
          if (worker.reload === undefined) worker.isOutdated = true;
          else await worker.reload();
          // Whoever makes this again later has the newest configuration from the start, and so nothing else to say when counts began.
          if (command.query['changed'] !== undefined) for (const kind of host.kinds) kind.calls.clearAll();
          return { body: {} };
        },
      });
      const { isReady, view } = replica.readiness();
      if (!isReady)
        throw new BacklotError('unavailable', `the worker is not ready: ${String(view['status'])}`);
    },
    stop: (during) => replica.stop(during),
  };
}
