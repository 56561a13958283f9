import { runInSlices } from '@backlot/core/plugin';
import { resolvePath } from '../files/path.js';
import { ReplyError } from '../reply-error.js';
import { answerExchange } from './answer-exchange.js';
import type { Command } from './command.js';
import { needArgument } from './need-argument.js';
import { quotePath } from './quote-path.js';

/** DELE: deletes a file. */
export const dele: Command = {
  syntax: 'DELE <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    return answerExchange(session, verb, argument, ({ path }) => {
      session.services.tree.remove(path);
      return { code: 250, lines: [`deleted ${path}`] };
    });
  },
};

/** MKD: makes a directory. */
export const mkd: Command = {
  syntax: 'MKD <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    return answerExchange(session, verb, argument, ({ path }) => {
      session.services.tree.makeDirectory(path);
      return { code: 257, lines: [`${quotePath(path)} made`] };
    });
  },
};

/** RMD: removes an empty directory. */
export const rmd: Command = {
  syntax: 'RMD <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    return answerExchange(session, verb, argument, ({ path }) => {
      session.services.tree.removeDirectory(path);
      return { code: 250, lines: [`removed ${path}`] };
    });
  },
};

/** RNFR: names what is renamed. */
export const rnfr: Command = {
  syntax: 'RNFR <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    return answerExchange(session, verb, argument, ({ path }) => {
      session.services.tree.entry(path);
      session.renameFrom = path;
      return { code: 350, lines: ['now RNTO'] };
    });
  },
  keepsRename: true,
};

/** RNTO: gives it its new name. */
export const rnto: Command = {
  syntax: 'RNTO <path>',
  run: (session, argument, verb) => {
    const from = session.renameFrom;
    session.renameFrom = undefined;
    if (from === undefined) throw new ReplyError(503, 'RNFR comes first');
    needArgument(argument);
    return answerExchange(session, verb, argument, async ({ message }) => {
      const to = resolvePath(session.directory, argument);
      message.body = Buffer.from(from);
      await runInSlices(session.services.tree.rename(from, to));
      return { code: 250, lines: [`renamed ${from} to ${to}`] };
    });
  },
};
