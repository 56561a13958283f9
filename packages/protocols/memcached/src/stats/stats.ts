import type { ServerState } from '../server-state.js';
import { DONE, failed, type Result } from '../result.js';
import { clearCounters } from '../store/counters.js';
import { ERRORS } from '../wire/error-text.js';
import { VERSION } from '../version.js';

type Line = readonly [string, string];

const SECOND = 1000;
/** The classes that memcached has for sizes; ours is the first one. */
const CLASSES = 64;

/** The answer to `stats` with what stood behind it. */
export function makeStats(server: ServerState, text: string): Result {
  const [about = '', ...rest] = text.split(' ');
  switch (about) {
    case '':
      return list(general(server));
    case 'settings':
      return list(settings(server));
    case 'items':
      return list(items(server));
    case 'slabs':
      return list(slabs(server));
    case 'conns':
      return list([]);
    case 'sizes':
      return list([['sizes_status', 'disabled']]);
    case 'reset':
      clearCounters(server.store.counters);
      return { ...DONE, word: 'RESET' };
    case 'cachedump':
      return dump(server, rest);
    case 'detail':
      return detail(rest);
    default:
      return failed(ERRORS.unknown);
  }
}

function list(lines: readonly Line[]): Result {
  return { code: 'done', lines };
}

function detail([about]: readonly string[]): Result {
  if (about === 'dump') return list([]);
  if (about === 'on' || about === 'off') return { ...DONE, word: 'OK' };
  return failed({ type: 'CLIENT_ERROR', text: 'usage: stats detail on|off|dump' });
}

function general(server: ServerState): readonly Line[] {
  const { store, startedAt } = server;
  const now = store.clock.now();
  const { user, system } = process.cpuUsage();
  const { total_items: total, evictions, ...counters } = store.counters;
  return [
    ['pid', String(process.pid)],
    ['uptime', String(Math.max(1, Math.floor((now - startedAt) / SECOND)))],
    ['time', String(Math.floor(now / SECOND))],
    ['version', VERSION],
    ['pointer_size', '64'],
    ['rusage_user', (user / 1e6).toFixed(6)],
    ['rusage_system', (system / 1e6).toFixed(6)],
    ['max_connections', '10000'],
    ['curr_connections', String(server.countConnections())],
    ['total_connections', String(server.connections)],
    ...Object.entries(counters).map(([name, count]): Line => [name, String(count)]),
    ['limit_maxbytes', String(store.limits.maxMemory)],
    ['accepting_conns', '1'],
    ['threads', '1'],
    ['bytes', String(store.bytes)],
    ['curr_items', String(store.size)],
    ['total_items', String(total)],
    ['evictions', String(evictions)],
  ];
}

function settings({ store, port, context }: ServerState): readonly Line[] {
  const { maxMemory, maxItem, evicts } = store.limits;
  return [
    ['maxbytes', String(maxMemory)],
    ['maxconns', '10000'],
    ['tcpport', String(port)],
    ['udpport', '0'],
    ['inter', context.config.host],
    ['verbosity', '0'],
    ['evictions', evicts ? 'on' : 'off'],
    ['num_threads', '1'],
    ['cas_enabled', 'yes'],
    ['auth_enabled_sasl', 'no'],
    ['item_size_max', String(maxItem)],
    ['flush_enabled', 'yes'],
    ['dump_enabled', 'yes'],
  ];
}

function items({ store }: ServerState): readonly Line[] {
  if (store.size === 0) return [];
  const { evictions } = store.counters;
  return [
    ['items:1:number', String(store.size)],
    ['items:1:mem_requested', String(store.bytes)],
    ['items:1:evicted', String(evictions)],
  ];
}

function slabs({ store }: ServerState): readonly Line[] {
  const { counters } = store;
  const ofClass: readonly Line[] =
    store.size === 0
      ? []
      : [
          ['1:chunk_size', String(store.limits.maxItem)],
          ['1:used_chunks', String(store.size)],
          ['1:get_hits', String(counters.get_hits)],
          ['1:cmd_set', String(counters.cmd_set)],
          ['1:delete_hits', String(counters.delete_hits)],
        ];
  return [
    ...ofClass,
    ['active_slabs', store.size === 0 ? '0' : '1'],
    ['total_malloced', String(store.bytes)],
  ];
}

/** Bytes of keys that are listed at most; the same in memcached. */
const MAX_DUMPED = 2 * 1024 * 1024;

/** `stats cachedump <class> <limit>`: how old tools list keys. */
function dump({ store }: ServerState, words: readonly string[]): Result {
  if (words.length < 2) return failed({ type: 'CLIENT_ERROR', text: 'bad command line' });
  const [slab, limit] = words.map(Number);
  if (slab === undefined || limit === undefined || !/^\d+ \d+$/.test(words.slice(0, 2).join(' ')))
    return failed(ERRORS.badLine);
  if (slab >= CLASSES) return failed({ type: 'CLIENT_ERROR', text: 'Illegal slab id' });
  let text = '';
  let count = 0;
  if (slab === 1) {
    for (const { key, value, expiresAt } of store.items()) {
      if ((limit > 0 && count >= limit) || text.length >= MAX_DUMPED) break;
      text += `ITEM ${key} [${value.length} b; ${Math.floor(expiresAt / SECOND)} s]\r\n`;
      count += 1;
    }
  }
  return { ...DONE, word: `${text}END` };
}
