import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { bulk, integer, nil, OK, ONE, verbatim, ZERO } from '../wire/reply.js';
import { describeLine } from './client-line.js';
import { at, keyless, optionAt, toInteger, type Answer, type Args, type Command } from './command.js';

const ACCEPTED = ['maint_notifications', 'pause', 'unpause'] as const;
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
    const type = optionAt(args, 3);
    if (type !== 'NORMAL' && type !== 'PUBSUB') shown = [];
    else shown = shown.filter(({ subscriptions }) => subscriptions.size > 0 === (type === 'PUBSUB'));
  } else if (args.length > 2) fail(ERRORS.syntax);
  return verbatim(shown.map((each) => `${describeLine(each)}\n`).join(''), resp);
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
    else if (option === 'SKIPME') sparesOwn = value.toUpperCase() !== 'NO';
    else if (option === 'USER') victims = victims.filter(({ user }) => user === value);
    else if (option !== 'TYPE') fail(ERRORS.syntax);
  }
  if (sparesOwn) victims = victims.filter((victim) => victim !== session);
  for (const victim of victims) {
    if (victim === session) victim.line.close();
    else victim.line.cut();
  }
  if (isOld) return victims.length > 0 ? OK : fail('ERR No such client');
  return integer(victims.length);
}
