import { fail } from '../wire/errors.js';
import { bulks, EMPTY_ARRAY, integer, map, OK, verbatim } from '../wire/reply.js';
import { at, keyless, type Command } from './command.js';

const NO_MODULES =
  'ERR MODULE command not allowed. If the enable-module-command option is set to "local", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.';

/** The commands about what there is nothing of here: measured latencies, slow commands, modules, a configuration file. */
export const IDLE_COMMANDS: readonly Command[] = [
  keyless('config|rewrite', 2, 'a', () => fail('ERR The server is running without a config file')),
  keyless('latency|latest', 2, 'a', () => EMPTY_ARRAY),
  keyless('latency|history', 3, 'a', () => EMPTY_ARRAY),
  keyless('latency|graph', 3, 'a', (args) => fail(`ERR No samples available for event '${at(args, 2)}'`)),
  keyless('latency|doctor', 2, 'a', (_args, { resp }) => verbatim('No latencies are measured here.\n', resp)),
  keyless('latency|histogram', -2, 'a', (_args, { resp }) => map([], resp)),
  keyless('latency|reset', -2, 'a', () => integer(0)),
  keyless('slowlog|get', -2, 'a', () => bulks([])),
  keyless('slowlog|len', 2, 'a', () => integer(0)),
  keyless('slowlog|reset', 2, 'a', () => OK),
  keyless('module|list', 2, 'a', () => EMPTY_ARRAY),
  keyless('module|load', -3, 'an', () => fail(NO_MODULES)),
  keyless('module|loadex', -3, 'an', () => fail(NO_MODULES)),
  keyless('module|unload', 3, 'an', () => fail(NO_MODULES)),
];
