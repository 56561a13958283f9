import type { ServerState } from '../server-state.js';
import type { Args, Command } from './command.js';
import { keysOf } from './key-places.js';

/** Read-only commands whose keys are only named: the commands inside read them. */
const CALLING = new Set(['eval_ro', 'evalsha_ro', 'fcall_ro']);

/** Remembers what a command has read, where its client tracks keys: a command of the client, or of its script. */
export function noteRead({ tracking }: ServerState, command: Command, args: Args): void {
  if (tracking.isReading && command.flags.includes('r') && !CALLING.has(command.name))
    tracking.remember(keysOf(command, args));
}
