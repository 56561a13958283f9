import { invalid, parseDuration, type ValueOf } from '@backlot/core/plugin';
import type { ConfigSchema } from './schemas.js';

/** The configuration with what was left out filled in. */
export interface Settings {
  readonly path: string;
  /** Bytes. */
  readonly maxBody: number;
  readonly hasCors: boolean;
  /** Whether an operation that no mock matches is answered by the schema. */
  readonly makesUnmatched: boolean;
  /** Milliseconds; 0 waits for ever. */
  readonly initTimeout: number;
}

/**
 * Fills in the configuration.
 *
 * @throws BacklotError `invalid` when the time-out is no duration, or made answers have no schema
 */
export function readSettings(config: ValueOf<typeof ConfigSchema>): Settings {
  if (config.unmatched === 'made' && config.schema === undefined && config.sdl === undefined) {
    const message = 'answers are made by a schema; give schema or sdl as well, or leave unmatched out';
    throw invalid(message, [{ path: '/unmatched', message }]);
  }
  return {
    path: config.path ?? '/graphql',
    maxBody: config.max_body_bytes ?? 10 * 1024 * 1024,
    hasCors: config.cors ?? false,
    makesUnmatched: config.unmatched !== 'error',
    initTimeout: parseDuration(config.init_timeout ?? '3s'),
  };
}
