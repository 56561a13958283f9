import { fail } from '../wire/errors.js';
import { bulk, double, integer, map, nil, OK, verbatim } from '../wire/reply.js';
import { at, keyless, onKeys, type Command } from './command.js';

/** What OBJECT and MEMORY tell of memory (redis.io, command page of each). */
export const MEMORY_COMMANDS: readonly Command[] = [
  onKeys('object|freq', 3, 'r', [2, 2, 1], (args, { database, resp }) =>
    database.has(at(args, 2))
      ? fail(
          'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
        )
      : nil(resp),
  ),
  keyless('memory|doctor', 2, '', (_args, { server, resp }) => {
    const { used } = server.store;
    const share = Math.round((100 * used) / server.settings.maxMemory);
    return verbatim(`${used} bytes of data are in use, ${share}% of maxmemory.\n`, resp);
  }),
  keyless('memory|malloc-stats', 2, '', (_args, { resp }) =>
    verbatim('Memory is that of the process; there is no allocator of its own.\n', resp),
  ),
  keyless('memory|purge', 2, '', () => OK),
  keyless('memory|stats', 2, 'r', (_args, { server, resp }) => {
    const { used, databases } = server.store;
    let keys = 0;
    for (const { size } of databases) keys += size;
    return map(
      [
        ...[bulk('total.allocated'), integer(used)],
        ...[bulk('keys.count'), integer(keys)],
        ...[bulk('keys.bytes-per-key'), integer(keys === 0 ? 0 : Math.floor(used / keys))],
        ...[bulk('dataset.bytes'), integer(used)],
        ...[bulk('dataset.percentage'), double(used === 0 ? 0 : 100, resp)],
      ],
      resp,
    );
  }),
];
