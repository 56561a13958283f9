import type { CommandReader } from '../../wire/command-reader.js';
import { BadCommand, Refusal } from '../../wire/bad-command.js';
import {
  bearerChallenge,
  BEARER_MECHANISMS,
  isBearerMechanism,
  readBearerResponse,
  type BearerMechanism,
} from '@backlot/kit';
import { capabilitiesOf } from '../capabilities.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../command-context.js';
import type { Done, Job } from '../job.js';
import { readPlain } from '../read-plain.js';
import { unlessFaulted } from '../unless-faulted.js';

const FAILED = '[AUTHENTICATIONFAILED]';

/** LOGIN. */
export const login: Command = {
  needs: 'no login',
  prepare(session, reader) {
    reader.space();
    const user = utf8(reader.astring('a user name'));
    reader.space();
    const password = utf8(reader.astring('a password'));
    reader.end();
    return {
      body: '',
      perform: () => logIn(session, user, password, 'LOGIN'),
    };
  },
};

/** AUTHENTICATE, with and without an initial response (RFC 4959). */
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
        const take = takerOf(session, mechanism, job);
        if (initial !== undefined) return take(initial);
        session.send('+ \r\n');
        askFor(session, job, (line) => {
          if (line === '*') throw new BadCommand('AUTHENTICATE was cancelled');
          return take(line);
        });
        return undefined;
      },
    };
  },
};

type Answer = Done | Promise<Done | undefined> | undefined;

/** What is done with the response of a client. @throws Refusal */
function takerOf(session: CommandContext, mechanism: string, job: Job): (response: string) => Answer {
  if (mechanism === 'PLAIN') {
    return (response) => {
      const [user, password] = readPlain(response);
      return logIn(session, user, password, 'AUTHENTICATE');
    };
  }
  if (isBearerMechanism(mechanism) && session.logins.takesTokens)
    return (response) => takeToken(session, mechanism, response, job);
  const offered = ['PLAIN', ...(session.logins.takesTokens ? BEARER_MECHANISMS : [])];
  throw new Refusal(`only ${offered.join(', ')} can be used here, not ${mechanism.slice(0, 40)}`);
}

function takeToken(session: CommandContext, mechanism: BearerMechanism, response: string, job: Job): Answer {
  const read = readBearerResponse(mechanism, response);
  if (read === undefined) throw new BadCommand(`the response is none of ${mechanism}`);
  const check = (named: string): Done | undefined => {
    const user = session.logins.userOf(read.token, named === '' ? undefined : named);
    if (user !== undefined) return greet(session, user, 'AUTHENTICATE');
    session.send(`+ ${bearerChallenge(mechanism)}\r\n`);
    // Whatever the client answers, the refusal follows (RFC 7628, 3.2.3).
    askFor(session, job, () => {
      throw new Refusal(`${FAILED} the access token is not right for this user`);
    });
    return undefined;
  };
  return session.logInAs(read.user ?? '', (named) => unlessFaulted(session, FAILED, () => check(named)));
}

/** Takes the next line as the answer to a continuation request. */
function askFor(session: CommandContext, job: Job, take: (line: string) => Answer): void {
  session.onLine = (line) => {
    session.attempt(job, () => take(line));
  };
}

function readInitialResponse(reader: CommandReader): string | undefined {
  if (!reader.take(' ')) return undefined;
  if (reader.take('=')) return '';
  return reader.astring('a response in base64');
}

/** Checks a name and a password, in the space that the name is of. */
function logIn(
  session: CommandContext,
  name: string,
  password: string,
  command: string,
): Done | Promise<Done> {
  return session.logInAs(name, (user) =>
    unlessFaulted(session, FAILED, () => greet(session, checkPassword(session, user, password), command)),
  );
}

/** @throws Refusal */
function checkPassword({ logins }: CommandContext, user: string, password: string): string {
  if (!logins.isRight(user, password)) throw new Refusal(`${FAILED} wrong user name or password`);
  return user;
}

function greet(session: CommandContext, user: string, name: string): Done {
  session.login(user);
  return { text: `OK [CAPABILITY ${capabilitiesOf(session)}] ${name} completed` };
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
