import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { bulk, integer, nil, OK, ONE, verbatim, ZERO } from '../wire/reply.js';
import { describeLine } from './client-line.js';
import { at, keyless, optionAt, toInteger, type Answer, type Args, type Command } from './command.js';

const ACCEPTED = ['maint_notifications', 'unpause'] as const;
/** Of clients; there are no replicas, and nobody replicates this server. */
const TYPES = new Set(['NORMAL', 'PUBSUB', 'MASTER', 'REPLICA', 'SLAVE']);
/** Switches that change nothing here: no client is evicted, and no use of keys is noted. */
const SWITCHES = ['no-evict', 'no-touch'] as const;

/** The subcommands of CLIENT (redis.io, command page of each). */
export const CLIENT_COMMANDS: readonly Command[] = [
  keyless('client|id', 2, '', (_args, { id }) => integer(id)),
  keyless('client|getname', 2, '', (_args, { name, resp }) => (name === '' ? nil(resp) : bulk(name))),
  keyless('client|setname', 3, '', (args, session) => {
    checkClientName(at(args, 2));
    session.name = at(args, 2);
    return OK;
  }),
  keyless('client|setinfo', 4, '', setInfo),
  keyless('client|info', 2, '', (_args, session) => verbatim(`${describeLine(session)}\n`, session.resp)),
  keyless('client|list', -2, 'a', list),
  keyless('client|kill', -3, 'a', kill),
  keyless('client|unblock', -3, 'a', (args, { server }) => {
    const reason = optionAt(args, 3);
    if (args.length > 4 || (args.length === 4 && reason !== 'TIMEOUT' && reason !== 'ERROR'))
      fail('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR');
    const wait = server.sessions.get(toInteger(args[2]))?.wait;
    if (wait === undefined) return ZERO;
    if (reason === 'ERROR') wait.end('-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n');
    else wait.end();
    return ONE;
  }),
  keyless('client|reply', 3, '', (args, session) => {
    const mode = optionAt(args, 2);
    if (mode !== 'ON' && mode !== 'OFF' && mode !== 'SKIP') fail(ERRORS.syntax);
    if (mode === 'ON') session.replies = 'on';
    else if (session.replies === 'on') session.replies = mode === 'OFF' ? 'off' : 'skip';
    return mode === 'ON' ? OK : '';
  }),
  ...SWITCHES.map((name) =>
    keyless(`client|${name}`, 3, '', (args) =>
      ['ON', 'OFF'].includes(optionAt(args, 2)) ? OK : fail(ERRORS.syntax),
    ),
  ),
  // Nobody is held up: a fault with a delay does that.
  keyless('client|pause', -3, 'a', (args) => {
    const timeout = toInteger(args[2], 'ERR timeout is not an integer or out of range');
    if (timeout < 0) fail('ERR timeout is negative');
    if (args.length > 4)
      fail(`ERR unknown subcommand or wrong number of arguments for '${at(args, 1)}'. Try CLIENT HELP.`);
    if (args.length === 4 && !['WRITE', 'ALL'].includes(optionAt(args, 3)))
      fail('ERR CLIENT PAUSE mode must be WRITE or ALL');
    return OK;
  }),
  ...ACCEPTED.map((name) => keyless(`client|${name}`, -2, '', () => OK)),
];

/** @throws CommandError when a connection cannot have this name */
export function checkClientName(name: string): void {
  if (/[^!-~]/.test(name)) fail('ERR Client names cannot contain spaces, newlines or special characters.');
}

function setInfo(args: Args, session: Session): Answer {
  const name = optionAt(args, 2);
  const value = at(args, 3);
  if (name !== 'LIB-NAME' && name !== 'LIB-VER') fail(`ERR Unrecognized option '${at(args, 2)}'`);
  if (/[^!-~]/.test(value))
    fail(`ERR ${name.toLowerCase()} cannot contain spaces, newlines or special characters.`);
  if (name === 'LIB-NAME') session.libraryName = value;
  else session.libraryVersion = value;
  return OK;
}

function list(args: Args, session: Session): Answer {
  const { server, resp } = session;
  let shown = [...server.sessions.values()];
  const option = optionAt(args, 2);
  if (option === 'ID' && args.length > 3) {
    const ids = new Set(args.slice(3).map((id) => toInteger(id, 'ERR Invalid client ID')));
    shown = shown.filter(({ id }) => ids.has(id));
  } else if (option === 'TYPE' && args.length === 4) {
    shown = shown.filter(typeFilter(at(args, 3)));
  } else if (args.length > 2) fail(ERRORS.syntax);
  return verbatim(shown.map((each) => `${describeLine(each)}\n`).join(''), resp);
}

/** Whether a client is of a type. @throws CommandError when there is no such type */
function typeFilter(name: string): (session: Session) => boolean {
  const type = name.slice(0, 16).toUpperCase();
  if (!TYPES.has(type)) fail(`ERR Unknown client type '${name}'`);
  if (type !== 'NORMAL' && type !== 'PUBSUB') return () => false;
  return ({ subscriptions }) => subscriptions.size > 0 === (type === 'PUBSUB');
}

function kill(args: Args, session: Session): Answer {
  const isOld = args.length === 3;
  let victims = [...session.server.sessions.values()];
  if (isOld) victims = victims.filter(({ remote }) => remote === args[2]);
  let sparesOwn = !isOld;
  for (let index = 2; !isOld && index < args.length; index += 2) {
    const value = args[index + 1] ?? fail(ERRORS.syntax);
    const option = optionAt(args, index);
    if (option === 'ID') {
      const wanted = toInteger(value, 'ERR client-id should be greater than 0');
      victims = victims.filter(({ id }) => id === wanted);
    } else if (option === 'ADDR') victims = victims.filter(({ remote }) => remote === value);
    else if (option === 'LADDR')
      victims = victims.filter(({ local, server }) => `${local}:${server.port}` === value);
    else if (option === 'SKIPME') {
      const word = optionAt(args, index + 1);
      if (word !== 'YES' && word !== 'NO') fail(ERRORS.syntax);
      sparesOwn = word === 'YES';
    } else if (option === 'USER') {
      const { users } = session.server;
      // Where any login passes, the names that were given are not those of users.
      if (!users.isOpenToAll && users.find(value) === undefined) fail(`ERR No such user '${value}'`);
      victims = victims.filter(({ user }) => user === value);
    } else if (option === 'TYPE') victims = victims.filter(typeFilter(value));
    else fail(ERRORS.syntax);
  }
  if (sparesOwn) victims = victims.filter((victim) => victim !== session);
  for (const victim of victims) {
    if (victim === session) victim.line.close();
    else victim.line.cut();
  }
  if (isOld) return victims.length > 0 ? OK : fail('ERR No such client');
  return integer(victims.length);
}
