import { ReplyError } from '../reply-error.js';
import type { Command } from './command.js';

/** What the library answers. */
const OF_LIBRARY = ['ALLO', 'MODE', 'NOOP', 'STRU', 'SYST'];

/** HELP: the commands, or how one is written. */
export function makeHelp(commands: ReadonlyMap<string, Command>): Command {
  return {
    syntax: 'HELP [<command>]',
    beforeLogin: true,
    run: (session, argument) => {
      const name = argument.trim().toUpperCase();
      const known = commands.get(name);
      if (known !== undefined) return session.reply(214, `Syntax: ${known.syntax}`);
      if (name !== '') throw new ReplyError(502, 'this command is not known');
      const names = [...commands.keys(), ...OF_LIBRARY].sort();
      const rows = Array.from({ length: Math.ceil(names.length / 8) }, (_, row) =>
        names.slice(row * 8, row * 8 + 8).join(' '),
      );
      session.reply(214, 'These commands are known:', ...rows, 'HELP with one of them tells more');
    },
  };
}
