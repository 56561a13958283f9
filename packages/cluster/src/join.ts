import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { BacklotError, messageOf } from '@backlot/core/plugin';
import type { ManagementRoute } from '@backlot/management';
import { readFounding, type Founding } from './entry.js';
import { PATIENCE, type CommandLog } from './log.js';
import { openLog } from './open-log.js';
import { Replica } from './replica.js';
import { clusterRoutes } from './routes.js';

/** What joining a cluster takes. */
export interface ClusterOptions {
  /** Where the engine is: `nats://127.0.0.1:4222` or `redis://127.0.0.1:6379`; or the log itself. */
  readonly url: string | CommandLog;
  /** The name of the cluster; engines may have several. */
  readonly name: string;
  /** The name of this replica, which no other has; that of the machine with the number of the process when absent. */
  readonly replica?: string;
  /** The replica that has what clients store; `leased`: one at a time, by a lease in the engine. Each has its own when absent. */
  readonly home?: { readonly name: string } | 'leased';
  /** Whether a home that follows another one begins with the last copy of what clients had stored; else with the configuration. */
  readonly copies?: boolean;
  /** The version of Backlot. */
  readonly version: string;
  /** What all replicas must have been made of: any JSON, of which a hash is compared. */
  readonly settings: unknown;
  /** The seed that the first replica gives the cluster. */
  readonly seed: number;
  /**
   * Milliseconds that the engine may take for an answer, and that a change waits for the replicas that should have made it; 2,000 when
   * absent.
   */
  readonly patience?: number;
  readonly warn: (text: string) => void;
}

/** A cluster that was joined; its replica makes changes once it follows. */
export interface Cluster {
  readonly replica: Replica;
  /** The seed of all replicas. */
  readonly seed: number;
  /** Further routes for the management API. */
  readonly routes: readonly ManagementRoute[];
}

/**
 * Joins a cluster, or founds it: before the host is made, since its seed is that of the cluster.
 *
 * @throws BacklotError `invalid` for a url or a name that is not valid, `unavailable` when the engine does not answer, `conflict` when the
 * cluster was founded by another version or with another configuration
 */
export async function joinCluster(options: ClusterOptions): Promise<Cluster> {
  const { url, name, version, seed, warn } = options;
  const log = typeof url === 'string' ? await openLog(url, name, options.patience) : url;
  try {
    const settings = hashOf(options.settings);
    const own: Founding = { format: 1, version, settings, seed, cluster: randomUUID() };
    await log.found(JSON.stringify(own));
    const [first] = await log.read(0, 1);
    if (first?.revision !== 1) throw new Error('the log has no first entry');
    const founding = readFounding(first.text);
    checkSame(founding, own, name);
    const replica = new Replica({
      name: options.replica ?? `${hostname()}-${process.pid}`,
      cluster: name,
      log,
      founding: founding.cluster,
      ...(options.home === undefined ? {} : { home: options.home }),
      ...(options.copies === undefined ? {} : { copies: options.copies }),
      patience: options.patience ?? PATIENCE,
      warn,
    });
    return { replica, seed: founding.seed, routes: clusterRoutes(replica, log) };
  } catch (thrown) {
    await log.close();
    if (thrown instanceof BacklotError) throw thrown;
    throw new BacklotError('unavailable', `the cluster "${name}" cannot be joined: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}

function checkSame(founding: Founding, own: Founding, name: string): void {
  const way = 'take another --cluster-name, or stop all replicas and remove the log of this one';
  if (founding.version !== own.version)
    throw new BacklotError(
      'conflict',
      `the cluster "${name}" was founded by version ${founding.version} of Backlot, and this is ${own.version}; ${way}`,
    );
  if (founding.settings !== own.settings)
    throw new BacklotError(
      'conflict',
      `the cluster "${name}" was founded with another configuration than that of this replica; ${way}`,
    );
}

/** A hash of JSON, in which the order of fields means nothing. */
function hashOf(value: unknown): string {
  const sorted = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return createHash('sha256').update(sorted).digest('hex');
}
