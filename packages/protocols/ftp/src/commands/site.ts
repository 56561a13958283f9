import { ReplyError } from '../reply-error.js';
import { answerExchange } from './answer-exchange.js';
import type { Command } from './command.js';

/** SITE CHMOD, the one extension that clients use. */
export const site: Command = {
  syntax: 'SITE CHMOD <mode> <path>',
  run: (session, argument) => {
    if (/^HELP$/i.test(argument)) return session.reply(214, 'SITE CHMOD <mode> <path>');
    if (!/^CHMOD(?: |$)/i.test(argument)) throw new ReplyError(504, 'only SITE CHMOD is known');
    const [, digits, name] = /^\S+ 0?([0-7]{3}) (.+)$/.exec(argument) ?? [];
    if (digits === undefined || name === undefined)
      throw new ReplyError(501, 'write SITE CHMOD 644 and a path');
    return answerExchange(session, 'SITE CHMOD', name, ({ path }) => {
      session.services.tree.describe(path, { mode: Number.parseInt(digits, 8) });
      return { code: 200, lines: [`the mode of ${path} is ${digits}`] };
    });
  },
};
