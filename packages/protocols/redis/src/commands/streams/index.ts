import type { Command } from '../command.js';
import { CLAIM_COMMANDS } from './claims.js';
import { STREAM_GROUP_COMMANDS } from './groups.js';
import { STREAM_INFO_COMMANDS } from './info.js';
import { STREAM_READ_COMMANDS } from './reads.js';
import { STREAM_COMMANDS } from './writes.js';

/** All commands for streams. */
export const STREAM_COMMAND_GROUPS: readonly (readonly Command[])[] = [
  STREAM_COMMANDS,
  STREAM_READ_COMMANDS,
  STREAM_GROUP_COMMANDS,
  CLAIM_COMMANDS,
  STREAM_INFO_COMMANDS,
];
