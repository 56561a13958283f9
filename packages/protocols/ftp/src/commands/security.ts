import { ReplyError } from '../reply-error.js';
import type { Command } from './command.js';

/** AUTH: upgrades the control connection to TLS (RFC 4217, section 4). */
export const auth: Command = {
  syntax: 'AUTH TLS',
  beforeLogin: true,
  run: async (session, argument) => {
    if (!/^(?:TLS(?:-[CP])?|SSL)$/i.test(argument)) throw new ReplyError(504, 'only AUTH TLS is known');
    if (session.connection.encrypted) throw new ReplyError(503, 'TLS is in use already');
    if (!session.services.canUpgrade) throw new ReplyError(502, 'TLS is not configured');
    session.reply(234, 'begin TLS');
    session.restartSession();
    try {
      await session.connection.startTls();
    } catch {
      // The connection is gone: what a client does wrong in its handshake is its own.
      session.connection.destroy();
    }
  },
};

/** PBSZ: always 0 with TLS (RFC 4217, section 9). */
export const pbsz: Command = {
  syntax: 'PBSZ 0',
  beforeLogin: true,
  run: (session, argument) => {
    if (!session.connection.encrypted) throw new ReplyError(503, 'AUTH TLS comes first');
    if (!/^\d{1,10}$/.test(argument)) throw new ReplyError(501, 'write PBSZ 0');
    session.hasBufferSize = true;
    session.reply(200, 'PBSZ=0');
  },
};

/** PROT: whether data connections are encrypted. */
export const prot: Command = {
  syntax: 'PROT <C|P>',
  beforeLogin: true,
  run: (session, argument) => {
    if (!session.connection.encrypted) throw new ReplyError(503, 'AUTH TLS comes first');
    if (!session.hasBufferSize) throw new ReplyError(503, 'PBSZ comes first');
    switch (argument.toUpperCase()) {
      case 'C':
      case 'P':
        session.isProtected = argument.toUpperCase() === 'P';
        return session.reply(200, session.isProtected ? 'data is encrypted' : 'data is sent in the clear');
      case 'S':
      case 'E':
        throw new ReplyError(536, 'TLS has only PROT C and PROT P');
      default:
        throw new ReplyError(504, 'write PROT C or PROT P');
    }
  },
};

/** CCC: the control connection stays encrypted. */
export const ccc: Command = {
  syntax: 'CCC',
  run: () => {
    throw new ReplyError(534, 'the control connection stays encrypted');
  },
};
