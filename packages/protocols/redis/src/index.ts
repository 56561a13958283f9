import type { Protocol } from '@backlot/core/plugin';
import { redis as declared } from './plugin.js';
import type { RedisTypes } from './types.generated.js';

export type { RedisConfig, RedisFault, RedisMock, RedisResponse, RedisTypes } from './types.generated.js';

/** Redis: scripted answers to commands, and in mode `stateful` the data behind them. */
export const redis = declared as Protocol as Protocol<RedisTypes>;
