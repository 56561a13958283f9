import type { ValueOf } from '@backlot/core/plugin';
import { isReplay } from '@backlot/kit';
import type { ConfiguredUser } from './acl/users.js';
import type { ConfigSchema } from './schemas.js';
import { toWire } from './wire/text.js';

type Config = ValueOf<typeof ConfigSchema>;

const MEBIBYTE = 1024 * 1024;
/** Most bytes of data when the configuration does not say. */
const DEFAULT_MAX_MEMORY = 256 * MEBIBYTE;
/** Most bytes of one request when the configuration does not say. */
const DEFAULT_MAX_REQUEST = 64 * MEBIBYTE;

/** Most bytes that Lua takes when the configuration does not say. */
const DEFAULT_MAX_SCRIPT_MEMORY = 64 * MEBIBYTE;
/** Most instructions of one script when the configuration does not say. */
const DEFAULT_MAX_SCRIPT_INSTRUCTIONS = 1_000_000_000;

/** The configuration with defaults. */
export interface Settings {
  readonly isStateful: boolean;
  /** In the form of the wire; `undefined`: the user `default` needs none. */
  readonly password: string | undefined;
  readonly users: readonly ConfiguredUser[];
  readonly maxMemory: number;
  readonly maxRequest: number;
  /** Whether it is the one node of a cluster. */
  readonly isCluster: boolean;
  /** The name, in the form of the wire, under which a sentinel knows it; `undefined`: it is no sentinel. */
  readonly sentinelMaster: string | undefined;
  readonly maxScriptMemory: number;
  readonly maxScriptInstructions: number;
}

/** Fills in defaults. */
export function readSettings(config: Config): Settings {
  const { mode, password, max_memory: maxMemory, max_request_bytes: maxRequest, cluster, sentinel } = config;
  return {
    // What replays has nothing but what was recorded: a miss is to be seen.
    isStateful: mode !== 'mock' && !isReplay(config),
    password: password === undefined ? undefined : toWire(password),
    users: (config.users ?? []).map((user) => ({
      username: toWire(user.username),
      password: user.password === undefined ? undefined : toWire(user.password),
      rules: user.rules === undefined ? undefined : toWire(user.rules).split(/\s+/).filter(Boolean),
    })),
    maxMemory: maxMemory ?? DEFAULT_MAX_MEMORY,
    maxRequest: maxRequest ?? DEFAULT_MAX_REQUEST,
    isCluster: cluster === true,
    sentinelMaster: sentinel === undefined ? undefined : toWire(sentinel.master),
    maxScriptMemory: config.max_script_memory ?? DEFAULT_MAX_SCRIPT_MEMORY,
    maxScriptInstructions: config.max_script_instructions ?? DEFAULT_MAX_SCRIPT_INSTRUCTIONS,
  };
}
