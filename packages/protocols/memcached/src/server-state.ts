import type { Context } from '@backlot/core/plugin';
import { isReplay } from '@backlot/kit';
import { COMMANDS } from './commands.js';
import type { MemcachedMessage } from './message.js';
import { DONE, MISSING, NOT_STORED, type Result } from './result.js';
import type { MemcachedShape } from './shape.js';
import { execute } from './store/execute.js';
import { executeMeta } from './store/execute-meta.js';
import { Store, type SavedStore } from './store/store.js';
import type { MetaFlags } from './wire/meta-flags.js';

const MEBIBYTE = 1024 * 1024;
const DEFAULT_MAX_MEMORY = 64 * MEBIBYTE;

/** What all connections share. */
export class ServerState {
  readonly context: Context<MemcachedShape>;
  readonly store: Store;
  readonly startedAt: number;
  /** Whether data is kept, and answers where no mock does. */
  readonly isStateful: boolean;
  /** The port, once it is known. */
  port = 0;
  /** How many connections there have been. */
  connections = 0;
  /** Tells how many connections there are. */
  countConnections: () => number = () => 0;

  constructor(context: Context<MemcachedShape>) {
    const { config, clock } = context;
    this.context = context;
    this.startedAt = clock.now();
    // While recordings are replayed, what is not there is a miss.
    this.isStateful = config.mode !== 'mock' && !isReplay(config);
    this.store = new Store(clock, {
      maxMemory: config.max_memory ?? DEFAULT_MAX_MEMORY,
      maxItem: config.max_item_bytes ?? MEBIBYTE,
      evicts: config.evictions ?? true,
    });
    context.addToSnapshots<SavedStore>('items', {
      passes: 'plain',
      save: () => this.store.save(),
      restore: (saved) => this.store.restore(saved),
    });
  }

  /** Does what a command says where no mock answers; in mode mock it misses. */
  perform(message: MemcachedMessage, meta?: MetaFlags): Result {
    if (!this.isStateful) return missOf(message.method, meta);
    return meta === undefined ? execute(this.store, message) : executeMeta(this.store, message, meta);
  }
}

function missOf(method: string, meta: MetaFlags | undefined): Result {
  const operation = COMMANDS.get(method)?.operation;
  if (operation === 'flush') return DONE;
  if (operation !== 'store') return MISSING;
  return method === 'cas' || meta?.cas !== undefined ? MISSING : NOT_STORED;
}
