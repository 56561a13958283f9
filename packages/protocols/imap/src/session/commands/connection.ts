import { BadCommand } from '../../wire/bad-command.js';
import { capabilitiesOf } from '../capabilities.js';
import type { Command } from '../command.js';

const IDENTITY = '("name" "Backlot" "vendor" "Backlot")';

/** CAPABILITY. */
export const capability: Command = {
  needs: 'nothing',
  prepare(session, reader) {
    reader.end();
    return {
      perform() {
        session.send(`* CAPABILITY ${capabilitiesOf(session)}\r\n`);
        return { text: 'OK CAPABILITY completed' };
      },
    };
  },
};

/** NOOP; CHECK does the same. */
export const noop: Command = {
  needs: 'nothing',
  prepare(_session, reader) {
    reader.end();
    return { perform: ({ name }) => ({ text: `OK ${name} completed` }) };
  },
};

/** LOGOUT. */
export const logout: Command = {
  needs: 'nothing',
  prepare(session, reader) {
    reader.end();
    return {
      perform(job) {
        session.send('* BYE logging out\r\n');
        session.complete(job, { text: 'OK LOGOUT completed', sync: 'nothing' });
        session.connection.end();
        return undefined;
      },
    };
  },
};

/** ID (RFC 2971). */
export const id: Command = {
  needs: 'nothing',
  prepare(session, reader) {
    reader.space();
    const item = (): void => {
      if (reader.isAtString) reader.string();
      else if (reader.word('a string or NIL') !== 'NIL') reader.fail('a string or NIL');
    };
    if (reader.next === '(') reader.list(item, 0);
    else item();
    reader.end();
    return {
      perform() {
        session.send(`* ID ${IDENTITY}\r\n`);
        return { text: 'OK ID completed' };
      },
    };
  },
};

/** STARTTLS. */
export const startTls: Command = {
  needs: 'no login',
  prepare(session, reader) {
    reader.end();
    const { connection } = session;
    if (!session.hasStartTls) throw new BadCommand('STARTTLS is not configured');
    if (connection.encrypted) throw new BadCommand('the connection is encrypted already');
    return {
      perform(job) {
        session.complete(job, { text: 'OK begin TLS now' });
        // A handshake that fails ends the connection; that is the client's affair.
        connection.startTls().catch(() => undefined);
        return undefined;
      },
    };
  },
};
