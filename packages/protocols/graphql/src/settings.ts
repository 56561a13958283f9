import { parseDuration, type ValueOf } from '@backlot/core/plugin';
import type { ConfigSchema } from './schemas.js';

/** The configuration with what was left out filled in. */
export interface Settings {
  readonly path: string;
  /** Bytes. */
  readonly maxBody: number;
  readonly hasCors: boolean;
  /** Milliseconds; 0 waits for ever. */
  readonly initTimeout: number;
}

/**
 * Fills in the configuration.
 *
 * @throws BacklotError `invalid` when the time-out is no duration
 */
export function readSettings(config: ValueOf<typeof ConfigSchema>): Settings {
  return {
    path: config.path ?? '/graphql',
    maxBody: config.max_body_bytes ?? 10 * 1024 * 1024,
    hasCors: config.cors ?? false,
    initTimeout: parseDuration(config.init_timeout ?? '3s'),
  };
}
