import { ReplyError } from '../reply-error.js';
import type { Command } from './command.js';

/** HELP: the commands, or how one is written. */
export const help: Command = {
  syntax: 'HELP [<command>]',
  beforeLogin: true,
  run: async (session, argument) => {
    // The table holds this command, too.
    const { COMMANDS } = await import('./table.js');
    const name = argument.trim().toUpperCase();
    const known = COMMANDS.get(name);
    if (known !== undefined) return session.reply(214, `Syntax: ${known.syntax}`);
    if (name !== '') throw new ReplyError(502, 'this command is not known');
    const names = [...COMMANDS.keys(), 'ALLO', 'MODE', 'NOOP', 'STRU', 'SYST'].sort();
    const rows = Array.from({ length: Math.ceil(names.length / 8) }, (_, row) =>
      names.slice(row * 8, row * 8 + 8).join(' '),
    );
    session.reply(214, 'These commands are known:', ...rows, 'HELP with one of them tells more');
  },
};
