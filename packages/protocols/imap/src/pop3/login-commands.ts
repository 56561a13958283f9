import {
  bearerChallenge,
  BEARER_MECHANISMS,
  isBearerMechanism,
  readBearerResponse,
  type BearerMechanism,
} from '@backlot/kit';
import { readPlain } from '../session/read-plain.js';
import { unlessFaulted } from '../session/unless-faulted.js';
import { BadCommand, Refusal } from '../wire/bad-command.js';
import type { PopAnswer, PopCommand, PopContext, PopJob, PopResult } from './context.js';

/** The response code of RFC 3206. */
const FAILED = '[AUTH]';

/** USER. */
export const user: PopCommand = {
  needs: 'no login',
  perform(session, argument) {
    if (argument === '') throw new BadCommand('USER wants the name of a user');
    session.named = argument;
    return { text: 'give the password' };
  },
};

/** PASS; all that follows is the password, spaces included. */
export const pass: PopCommand = {
  needs: 'no login',
  isSecret: true,
  perform(session, argument) {
    const { named } = session;
    if (named === undefined) throw new BadCommand('PASS needs USER first');
    session.named = undefined;
    return checkPassword(session, named, argument);
  },
};

/** AUTH (RFC 5034). */
export const auth: PopCommand = {
  needs: 'no login',
  isSecret: true,
  perform(session, argument, job) {
    const [name = '', initial, more] = argument.split(' ');
    if (more !== undefined) throw new BadCommand('AUTH takes a mechanism and a response');
    const take = takerOf(session, name.toUpperCase(), job);
    if (initial !== undefined) return take(initial === '=' ? '' : initial);
    session.ask(job, '', (line) => {
      if (line === '*') throw new BadCommand('AUTH was cancelled');
      return take(line);
    });
    return undefined;
  },
};

/** The mechanisms that can be used with these users. */
export function mechanismsOf({ logins }: Pick<PopContext, 'logins'>): readonly string[] {
  return ['PLAIN', ...(logins.takesTokens ? BEARER_MECHANISMS : [])];
}

function takerOf(session: PopContext, mechanism: string, job: PopJob): (response: string) => PopResult {
  if (mechanism === 'PLAIN') {
    return (response) => {
      const [name, password] = readPlain(response);
      return checkPassword(session, name, password);
    };
  }
  const offered = mechanismsOf(session);
  if (isBearerMechanism(mechanism) && offered.includes(mechanism))
    return (response) => takeToken(session, mechanism, response, job);
  throw new BadCommand(`only ${offered.join(', ')} can be used here, not "${mechanism.slice(0, 40)}"`);
}

function takeToken(
  session: PopContext,
  mechanism: BearerMechanism,
  response: string,
  job: PopJob,
): PopResult {
  const read = readBearerResponse(mechanism, response);
  if (read === undefined) throw new BadCommand(`the response is none of ${mechanism}`);
  const check = (named: string): PopAnswer | undefined => {
    const name = session.logins.userOf(read.token, named === '' ? undefined : named);
    if (name !== undefined) return greet(session, name);
    // Whatever the client answers, the refusal follows (RFC 7628, 3.2.3).
    session.ask(job, bearerChallenge(mechanism), () => {
      throw new Refusal(`${FAILED} the access token is not right for this user`);
    });
    return undefined;
  };
  return session.logInAs(read.user ?? '', (named) => unlessFaulted(session, FAILED, () => check(named)));
}

/** Checks a name and a password, in the space that the name is of. */
function checkPassword(session: PopContext, named: string, password: string): PopAnswer | Promise<PopAnswer> {
  return session.logInAs(named, (name) =>
    unlessFaulted(session, FAILED, () => {
      if (!session.logins.isRight(name, password)) throw new Refusal(`${FAILED} wrong user name or password`);
      return greet(session, name);
    }),
  );
}

function greet(session: PopContext, name: string): PopAnswer {
  session.login(name);
  return { text: 'the maildrop is open' };
}
