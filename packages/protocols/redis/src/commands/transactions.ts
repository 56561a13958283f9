import { ERRORS, fail } from '../wire/errors.js';
import { OK } from '../wire/reply.js';
import { keyless, onKeys, type Command } from './command.js';

/** Most keys that one connection watches. */
const MAX_WATCHED = 10_000;

/**
 * The commands of transactions (redis.io, command pages of MULTI, EXEC and WATCH). EXEC itself is carried out by the
 * connection, since the commands it holds may wait.
 */
export const TRANSACTION_COMMANDS: readonly Command[] = [
  keyless('multi', 1, 'l', (_args, session) => {
    if (session.queue !== undefined) fail(ERRORS.nestedMulti);
    session.queue = [];
    return OK;
  }),
  keyless('exec', 1, 'l', () => fail(ERRORS.execWithoutMulti)),
  keyless('discard', 1, 'l', (_args, session) => {
    if (session.queue === undefined) fail(ERRORS.discardWithoutMulti);
    session.endTransaction();
    return OK;
  }),
  onKeys('watch', -2, 'l', [1, -1, 1], (args, session) => {
    if (session.queue !== undefined) fail(ERRORS.watchInMulti);
    if (session.watchedCount + args.length - 1 > MAX_WATCHED)
      fail(`ERR a connection watches ${MAX_WATCHED} keys at most`);
    for (const key of args.slice(1)) session.watch(key);
    return OK;
  }),
  keyless('unwatch', 1, 'l', (_args, session) => {
    session.unwatch();
    return OK;
  }),
];
