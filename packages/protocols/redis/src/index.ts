import type { Protocol } from '@backlot/core/plugin';
import { redis as declared } from './plugin.js';
import type { RedisTypes } from './types.generated.js';

export type {
  RedisAnswer,
  RedisConfig,
  RedisFault,
  RedisMock,
  RedisResponse,
  RedisSentinel,
  RedisTypes,
  RedisUser,
} from './types.generated.js';

/** Redis: mocks for commands, and the data behind them. */
export const redis = declared as Protocol as Protocol<RedisTypes>;
