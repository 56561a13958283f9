import type { Command } from '../command.js';

/** IDLE (RFC 2177): what changes in the selected mailbox is sent as it happens, until the client says DONE. */
export const idle: Command = {
  needs: 'login',
  prepare(session, reader) {
    reader.end();
    return {
      path: session.selected?.name ?? '',
      perform(job) {
        session.send('+ idling\r\n');
        session.isIdling = true;
        session.pushChanges();
        session.onLine = (line) => {
          session.isIdling = false;
          const isDone = line.toUpperCase() === 'DONE';
          session.complete(job, { text: isDone ? 'OK IDLE completed' : 'BAD IDLE ends with DONE' });
        };
        return undefined;
      },
    };
  },
};
