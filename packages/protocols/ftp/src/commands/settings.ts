import { FACTS } from '../files/format-entry.js';
import { ReplyError } from '../reply-error.js';
import type { Command } from './command.js';

/** TYPE: text, whose lines end in CR LF on the wire, or bytes as they are. */
export const type: Command = {
  syntax: 'TYPE <A|I>',
  run: (session, argument) => {
    if (/^A(?: N)?$/i.test(argument)) session.type = 'A';
    else if (/^(?:I|L ?8)$/i.test(argument)) session.type = 'I';
    else if (/^(?:[AE]|L)(?: |$)/i.test(argument))
      throw new ReplyError(504, 'only TYPE A, TYPE I and TYPE L 8 are known');
    else throw new ReplyError(501, 'write TYPE A or TYPE I');
    session.reply(200, `TYPE is ${session.type}`);
  },
};

/** REST: where the next transfer begins (RFC 3659, section 5). */
export const rest: Command = {
  syntax: 'REST <bytes>',
  run: (session, argument) => {
    const offset = /^\d{1,15}$/.test(argument) ? Number(argument) : undefined;
    if (offset === undefined) throw new ReplyError(501, 'write REST and a number of bytes');
    session.restart = offset;
    session.reply(350, `the next transfer begins at ${offset}`);
  },
};

/** OPTS: UTF8, which is always on, and the facts of MLST. */
export const opts: Command = {
  syntax: 'OPTS UTF8 ON | OPTS MLST <fact>;...',
  beforeLogin: true,
  run: (session, argument) => {
    const [option = '', ...values] = argument.split(' ');
    const value = values.join(' ');
    switch (option.toUpperCase()) {
      case 'UTF8':
      case 'UTF-8':
        if (!/^(?:ON)?$/i.test(value)) throw new ReplyError(504, 'UTF8 is always on');
        return session.reply(200, 'UTF8 is on');
      case 'MLST': {
        const wanted = value.toLowerCase().split(';');
        session.facts = FACTS.filter((fact) => wanted.includes(fact.toLowerCase()));
        return session.reply(200, `MLST OPTS ${session.facts.map((fact) => `${fact};`).join('')}`);
      }
      default:
        throw new ReplyError(501, 'only OPTS UTF8 and OPTS MLST are known');
    }
  },
};
