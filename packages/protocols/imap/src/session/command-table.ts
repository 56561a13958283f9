import type { Command } from './command.js';
import { append } from './commands/append.js';
import { capability, id, logout, noop, startTls } from './commands/connection.js';
import { copy, move, uidCopy, uidMove } from './commands/copy.js';
import { close, expunge, uidExpunge, unselect } from './commands/expunge.js';
import { fetch, uidFetch } from './commands/fetch.js';
import { idle } from './commands/idle.js';
import { list, lsub } from './commands/list.js';
import { authenticate, login } from './commands/login.js';
import { create, deleteMailbox, rename, subscribe, unsubscribe } from './commands/manage.js';
import { search, uidSearch } from './commands/search.js';
import { examine, select } from './commands/select.js';
import { namespace, status } from './commands/status.js';
import { store, uidStore } from './commands/store.js';

/** Every command by its name (RFC 3501 and the extensions of CAPABILITY). */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['APPEND', append],
  ['AUTHENTICATE', authenticate],
  ['CAPABILITY', capability],
  ['CHECK', { ...noop, needs: 'mailbox' }],
  ['CLOSE', close],
  ['COPY', copy],
  ['CREATE', create],
  ['DELETE', deleteMailbox],
  ['EXAMINE', examine],
  ['EXPUNGE', expunge],
  ['FETCH', fetch],
  ['ID', id],
  ['IDLE', idle],
  ['LIST', list],
  ['LOGIN', login],
  ['LOGOUT', logout],
  ['LSUB', lsub],
  ['MOVE', move],
  ['NAMESPACE', namespace],
  ['NOOP', noop],
  ['RENAME', rename],
  ['SEARCH', search],
  ['SELECT', select],
  ['STARTTLS', startTls],
  ['STATUS', status],
  ['STORE', store],
  ['SUBSCRIBE', subscribe],
  ['UID COPY', uidCopy],
  ['UID EXPUNGE', uidExpunge],
  ['UID FETCH', uidFetch],
  ['UID MOVE', uidMove],
  ['UID SEARCH', uidSearch],
  ['UID STORE', uidStore],
  ['UNSELECT', unselect],
  ['UNSUBSCRIBE', unsubscribe],
]);
