import type { Protocol } from '@backlot/core/plugin';
import { memcached as declared } from './plugin.js';
import type { MemcachedTypes } from './types.generated.js';

export type {
  MemcachedAnswer,
  MemcachedConfig,
  MemcachedFault,
  MemcachedMock,
  MemcachedResponse,
  MemcachedTypes,
} from './types.generated.js';

/** Memcached: the text protocol with meta commands, and the binary protocol. */
export const memcached = declared as Protocol as Protocol<MemcachedTypes>;
