import { answerExchange } from './answer-exchange.js';
import type { Command } from './command.js';
import { needArgument } from './need-argument.js';
import { quotePath } from './quote-path.js';

/** CWD: goes to a directory. */
export const cwd: Command = {
  syntax: 'CWD <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    return answerExchange(session, verb, argument, ({ path }) => {
      session.services.tree.directory(path);
      session.directory = path;
      return { code: 250, lines: [`now in ${quotePath(path)}`] };
    });
  },
};

/** CDUP: goes to the directory above. */
export const cdup: Command = {
  syntax: 'CDUP',
  run: (session, _argument, verb) => cwd.run(session, '..', verb),
};

/** PWD: says where the client is. */
export const pwd: Command = {
  syntax: 'PWD',
  run: (session) => session.reply(257, `${quotePath(session.directory)} is the current directory`),
};
