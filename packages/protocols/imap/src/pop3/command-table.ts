import { BadCommand, Refusal } from '../wire/bad-command.js';
import type { PopCommand } from './context.js';
import { auth, mechanismsOf, pass, user } from './login-commands.js';
import { dele, list, none, retr, rset, stat, top, uidl } from './message-commands.js';

/** CAPA (RFC 2449). */
const capa: PopCommand = {
  needs: 'nothing',
  perform(session, argument) {
    none('CAPA', argument);
    const { hasStartTls, connection, maildrop } = session;
    const lines = ['TOP', 'USER', 'UIDL', 'PIPELINING', 'RESP-CODES', 'AUTH-RESP-CODE'];
    lines.push(`SASL ${mechanismsOf(session).join(' ')}`, 'IMPLEMENTATION Backlot');
    if (hasStartTls && !connection.encrypted && maildrop === undefined) lines.push('STLS');
    return { text: 'what can be done here', lines: `${lines.join('\r\n')}\r\n.\r\n` };
  },
};

const noop: PopCommand = {
  needs: 'login',
  perform(_session, argument) {
    none('NOOP', argument);
    return { text: '' };
  },
};

/** QUIT: what is marked as deleted is removed with it alone. */
const quit: PopCommand = {
  needs: 'nothing',
  perform({ maildrop }, argument, { exchange }) {
    none('QUIT', argument);
    if (!exchange.isCurrent) throw new Refusal('[SYS/TEMP] the server was reset before this was done');
    maildrop?.update();
    return { text: 'goodbye', isLast: true };
  },
};

/** STLS (RFC 2595, 4). */
const stls: PopCommand = {
  needs: 'no login',
  perform({ connection, hasStartTls }, argument) {
    none('STLS', argument);
    if (!hasStartTls) throw new BadCommand('STLS is not configured');
    if (connection.encrypted) throw new BadCommand('the connection is encrypted already');
    return { text: 'begin TLS now', startsTls: true };
  },
};

/** Every command by its name (RFC 1939, 2449, 2595, 5034). */
export const POP_COMMANDS: ReadonlyMap<string, PopCommand> = new Map([
  ['AUTH', auth],
  ['CAPA', capa],
  ['DELE', dele],
  ['LIST', list],
  ['NOOP', noop],
  ['PASS', pass],
  ['QUIT', quit],
  ['RETR', retr],
  ['RSET', rset],
  ['STAT', stat],
  ['STLS', stls],
  ['TOP', top],
  ['UIDL', uidl],
  ['USER', user],
]);
