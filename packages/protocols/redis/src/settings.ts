import type { ValueOf } from '@backlot/core/plugin';
import type { ConfigSchema } from './schemas.js';
import { toWire } from './wire/text.js';

type Config = ValueOf<typeof ConfigSchema>;

const MEBIBYTE = 1024 * 1024;
/** Most bytes of data when the configuration does not say. */
const DEFAULT_MAX_MEMORY = 256 * MEBIBYTE;
/** Most bytes of one request when the configuration does not say. */
const DEFAULT_MAX_REQUEST = 64 * MEBIBYTE;

/** The configuration with defaults. */
export interface Settings {
  readonly isStateful: boolean;
  /** In the form of the wire; `undefined`: any login passes. */
  readonly password: string | undefined;
  readonly maxMemory: number;
  readonly maxRequest: number;
}

/** Fills in defaults. */
export function readSettings(config: Config): Settings {
  const { mode, password, max_memory: maxMemory, max_request_bytes: maxRequest } = config;
  return {
    isStateful: mode === 'stateful',
    password: password === undefined ? undefined : toWire(password),
    maxMemory: maxMemory ?? DEFAULT_MAX_MEMORY,
    maxRequest: maxRequest ?? DEFAULT_MAX_REQUEST,
  };
}
