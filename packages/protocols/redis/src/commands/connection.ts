import type { Session } from '../session.js';
import { ERRORS, fail, wrongArity } from '../wire/errors.js';
import { parseInteger } from '../wire/numbers.js';
import { bulk, bulks, EMPTY_ARRAY, integer, map, OK, simple } from '../wire/reply.js';
import { at, keyless, optionAt, type Answer, type Args, type Command } from './command.js';
import { noteFailedLogin } from '../acl/access.js';
import { checkClientName } from './client-commands.js';
import { readIndex } from './keys.js';
import { VERSION } from './server-facts.js';

/** The commands that set up a connection, try it, and end it (redis.io, command pages of HELLO, AUTH, PING, QUIT). */
export const CONNECTION_COMMANDS: readonly Command[] = [
  keyless('ping', -1, 's', ping),
  keyless('echo', 2, '', (args) => bulk(at(args, 1))),
  keyless('select', 2, '', (args, session) => {
    const index = readIndex(args[1], ERRORS.notInteger);
    if (index !== 0 && session.server.settings.isCluster) fail('ERR SELECT is not allowed in cluster mode');
    session.database = session.server.store.database(index);
    return OK;
  }),
  keyless('hello', -1, 'un', hello),
  keyless('auth', -2, 'un', (args, session) => {
    if (args.length > 3) fail(ERRORS.syntax);
    const { users } = session.server;
    if (args.length === 2 && users.default.isNoPass && !users.isOpenToAll) fail(ERRORS.noPassword);
    const [user, given] = args.length === 2 ? ['default', at(args, 1)] : [at(args, 1), at(args, 2)];
    return logIn(args, session, user, given) ? OK : fail(ERRORS.wrongPass);
  }),
  keyless('quit', -1, 'uns', (_args, session) => {
    session.line.close();
    return OK;
  }),
  keyless('reset', 1, 'uns', (_args, session) => {
    session.endTransaction();
    session.server.tracking.disable(session);
    session.server.monitors.delete(session);
    session.subscriptions.clear();
    session.database = session.server.store.database(0);
    session.resp = 2;
    session.name = '';
    session.replies = 'on';
    session.logOut();
    return simple('RESET');
  }),
];

/** Whether a request is a login: AUTH, or HELLO with the option AUTH. */
export function isLogin(command: Command | undefined, args: Args): boolean {
  if (command?.name === 'auth') return true;
  return command?.name === 'hello' && args.some((_, index) => index > 1 && optionAt(args, index) === 'AUTH');
}

/** The user that a login names; undefined for a login of the default user, and for what is none. */
export function userOfLogin(command: Command | undefined, args: Args): string | undefined {
  if (command?.name === 'auth') return args.length === 3 ? at(args, 1) : undefined;
  if (command?.name !== 'hello') return undefined;
  const option = args.findIndex((_, index) => index > 1 && optionAt(args, index) === 'AUTH');
  return option > 0 ? args[option + 1] : undefined;
}

/** In a space `t1`, `t1` is the default user, and `t1+ann` is `ann`. */
function logIn(args: Args, session: Session, named: string, password: string): boolean {
  const { spaces } = session.server;
  const user = spaces === undefined ? named : (spaces.userOf(named) ?? 'default');
  if (session.logIn(user, password)) return true;
  noteFailedLogin(session, user, at(args, 0));
  return false;
}

function ping(args: Args, session: Session): Answer {
  if (args.length > 2) fail(wrongArity('ping'));
  if (session.resp === 2 && session.subscriptions.size > 0) return bulks(['pong', at(args, 1)]);
  return args.length === 2 ? bulk(at(args, 1)) : simple('PONG');
}

function hello(args: Args, session: Session): Answer {
  let { resp } = session;
  if (args.length > 1) {
    const version = parseInteger(at(args, 1)) ?? fail(ERRORS.protocolNumber);
    if (version !== 2 && version !== 3) fail(ERRORS.noProto);
    resp = version;
  }
  let name: string | undefined;
  let login: readonly [user: string, password: string] | undefined;
  for (let index = 2; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (option === 'AUTH' && index + 2 < args.length) {
      login = [at(args, index + 1), at(args, index + 2)];
      index += 2;
    } else if (option === 'SETNAME' && index + 1 < args.length) {
      name = at(args, index + 1);
      checkClientName(name);
      index += 1;
    } else fail(`ERR Syntax error in HELLO option '${at(args, index)}'`);
  }
  if (login !== undefined && !logIn(args, session, ...login)) fail(ERRORS.wrongPass);
  if (!session.isTrusted) fail(ERRORS.helloNoAuth);
  if (name !== undefined) session.name = name;
  session.resp = resp;
  const facts = [
    ...['server', 'redis', 'version', VERSION, 'proto'].map(bulk),
    integer(resp),
    bulk('id'),
    integer(session.id),
    ...[
      'mode',
      session.server.settings.isCluster ? 'cluster' : 'standalone',
      'role',
      'master',
      'modules',
    ].map(bulk),
    EMPTY_ARRAY,
  ];
  return map(facts, resp);
}
