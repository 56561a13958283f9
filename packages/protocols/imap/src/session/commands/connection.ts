import { rollLogin } from '@backlot/kit';
import { BadCommand, Refusal } from '../../wire/bad-command.js';
import type { CommandReader } from '../../wire/command-reader.js';
import { capabilitiesOf } from '../capabilities.js';
import type { Command } from '../command.js';
import type { Done } from '../job.js';
import type { CommandContext } from '../command-context.js';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
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

/** LOGIN. */
export const login: Command = {
  needs: 'no login',
  prepare(session, reader) {
    reader.space();
    const user = utf8(reader.astring('a user name'));
    reader.space();
    const password = utf8(reader.astring('a password'));
    reader.end();
    return { body: '', perform: () => logIn(session, user, password, 'LOGIN') };
  },
};

/** AUTHENTICATE PLAIN (RFC 4616), with and without an initial response (RFC 4959). */
export const authenticate: Command = {
  needs: 'no login',
  prepare(session, reader) {
    reader.space();
    const mechanism = reader.word('a mechanism');
    const initial = readInitialResponse(reader);
    reader.end();
    return {
      body: '',
      perform(job) {
        if (mechanism !== 'PLAIN')
          throw new Refusal(`only PLAIN is supported, not ${mechanism.slice(0, 40)}`);
        const finish = (response: string): Done | Promise<Done> => {
          const [user, password] = readPlain(response);
          return logIn(session, user, password, 'AUTHENTICATE');
        };
        if (initial !== undefined) return finish(initial);
        session.send('+ \r\n');
        session.onLine = (line) => {
          try {
            session.finish(job, finish(line));
          } catch (error) {
            if (!(error instanceof BadCommand) && !(error instanceof Refusal)) throw error;
            session.complete(job, { text: `${error instanceof Refusal ? 'NO' : 'BAD'} ${error.message}` });
          }
        };
        return undefined;
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

function readInitialResponse(reader: CommandReader): string | undefined {
  if (!reader.take(' ')) return undefined;
  if (reader.take('=')) return '';
  return reader.astring('a response in base64');
}

function readPlain(response: string): [user: string, password: string] {
  if (response === '*') throw new BadCommand('AUTHENTICATE was cancelled');
  if (!BASE64.test(response)) throw new BadCommand('the response is not base64');
  const [, user, password, more] = Buffer.from(response, 'base64').toString('utf8').split('\0');
  if (user === undefined || user === '' || password === undefined || more !== undefined) {
    throw new BadCommand(
      'the response must hold an identity, a user name and a password, with NUL between them',
    );
  }
  return [user, password];
}

function logIn(session: CommandContext, user: string, password: string, name: string): Done | Promise<Done> {
  const check = (refusal: LoginRefusal | undefined): Done =>
    refusal === undefined ? checkLogin(session, user, password, name) : refuse(session, refusal);
  const rolled = rollLogin(session.context);
  return rolled instanceof Promise ? rolled.then(check) : check(rolled);
}

/** What a fault of phase `login` gives for its refusals. */
interface LoginRefusal {
  readonly response?: 'NO' | 'BAD' | 'BYE';
  readonly message?: string;
}

function refuse(
  session: CommandContext,
  { response = 'NO', message = 'fault injected' }: LoginRefusal,
): Done {
  if (response === 'BAD') throw new BadCommand(message);
  if (response === 'BYE') session.bye(message);
  throw new Refusal(`[AUTHENTICATIONFAILED] ${message}`);
}

function checkLogin(session: CommandContext, user: string, password: string, name: string): Done {
  const { users } = session.context.config;
  const isKnown =
    users === undefined || users.some((each) => each.username === user && each.password === password);
  if (!isKnown) throw new Refusal('[AUTHENTICATIONFAILED] wrong user name or password');
  session.login(user);
  return { text: `OK [CAPABILITY ${capabilitiesOf(session)}] ${name} completed` };
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
