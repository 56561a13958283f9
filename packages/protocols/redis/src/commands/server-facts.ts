import { MAX_ENTRIES } from '../acl/acl-log.js';
import type { ServerState } from '../server-state.js';

/** The version of Redis that the commands behave like. */
export const VERSION = '7.0.15';

/** The sections of INFO, by name in lower case. */
export function infoSections(server: ServerState): ReadonlyMap<string, readonly string[]> {
  const { store, settings } = server;
  const uptime = Math.floor((server.clock.now() - server.startedAt) / 1000);
  return new Map([
    [
      'server',
      [
        '# Server',
        `redis_version:${VERSION}`,
        `redis_mode:${settings.isCluster ? 'cluster' : 'standalone'}`,
        'arch_bits:64',
        `run_id:${server.runId}`,
        `tcp_port:${server.port}`,
        `uptime_in_seconds:${uptime}`,
        `uptime_in_days:${Math.floor(uptime / 86_400)}`,
      ],
    ],
    [
      'clients',
      [
        '# Clients',
        `connected_clients:${server.sessions.size}`,
        'maxclients:10000',
        `blocked_clients:${server.waiters.count}`,
      ],
    ],
    [
      'memory',
      [
        '# Memory',
        `used_memory:${store.used}`,
        `maxmemory:${settings.maxMemory}`,
        'maxmemory_policy:noeviction',
      ],
    ],
    [
      'persistence',
      ['# Persistence', `loading:${server.isLoading ? 1 : 0}`, 'rdb_bgsave_in_progress:0', 'aof_enabled:0'],
    ],
    [
      'stats',
      [
        '# Stats',
        `total_connections_received:${server.connections}`,
        `total_commands_processed:${server.requests}`,
        `pubsub_channels:${server.pubSub.sizeOf('channel')}`,
        `pubsub_patterns:${server.pubSub.sizeOf('pattern')}`,
      ],
    ],
    ['replication', ['# Replication', 'role:master', 'connected_slaves:0', 'master_repl_offset:0']],
    ['cluster', ['# Cluster', `cluster_enabled:${settings.isCluster ? 1 : 0}`]],
    [
      'keyspace',
      [
        '# Keyspace',
        ...store.databases
          .filter((database) => database.size > 0)
          .map(({ index, size, expiring }) => `db${index}:keys=${size},expires=${expiring},avg_ttl=0`),
      ],
    ],
  ]);
}

/** What CONFIG GET answers. */
export function configOf({ settings, port, keyEvents, users }: ServerState): ReadonlyMap<string, string> {
  return new Map([
    ['acllog-max-len', String(MAX_ENTRIES)],
    ['appendonly', 'no'],
    ['databases', '16'],
    ['maxclients', '10000'],
    ['maxmemory', String(settings.maxMemory)],
    ['maxmemory-policy', 'noeviction'],
    ['notify-keyspace-events', keyEvents.flags],
    ['port', String(port)],
    ['proto-max-bulk-len', String(settings.maxRequest)],
    ['requirepass', users.password],
    ['save', ''],
    ['timeout', '0'],
  ]);
}
