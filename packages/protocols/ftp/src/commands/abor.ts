import type { Command } from './command.js';

/** ABOR: the session has cut the transfer already when it was sent during one, and 426 is on its way. */
export const abor: Command = {
  syntax: 'ABOR',
  run: (session) => {
    session.closeChannel();
    session.reply(226, 'nothing is being transferred any more');
  },
};
