import { createHash, timingSafeEqual } from 'node:crypto';
import { invalid, type ValueOf } from '@backlot/core/plugin';
import { rollLogin } from '@backlot/kit';
import type { SMTPServer } from 'smtp-server';
import type { ConfigSchema } from './schemas.js';

type Config = ValueOf<typeof ConfigSchema>;
type OnAuth = SMTPServer['onAuth'];

/** Mechanisms that send the password, so that any can be let pass. */
const WITHOUT_USERS = ['PLAIN', 'LOGIN'];
/** CRAM-MD5 proves a password that the server has to know (RFC 2195). */
const WITH_USERS = ['CRAM-MD5', 'PLAIN', 'LOGIN'];

/** How a server asks for logins. */
export interface Authentication {
  readonly methods: readonly string[];
  /** Whether mail is taken without a login. */
  readonly isOptional: boolean;
  readonly check: OnAuth;
}

/**
 * Refuses settings that contradict each other.
 *
 * @throws BacklotError `invalid`
 */
export function checkAuth({ auth, users }: Config): void {
  if (auth === 'users' && users === undefined)
    throw invalid('auth is "users", but there are no users; give users, or leave auth out');
  if (auth === 'any' && users !== undefined)
    throw invalid('auth is "any", so that every login passes, but there are users; leave one of the two out');
}

/** Makes the check of logins that the configuration asks for. */
export function makeAuthentication({ users }: Config): Authentication {
  if (users === undefined) {
    return {
      methods: WITHOUT_USERS,
      isOptional: true,
      check: ({ username }, _session, callback) => callback(null, { user: username || 'anonymous' }),
    };
  }
  const passwords = new Map(users.map(({ username, password }) => [username, password]));
  return {
    methods: WITH_USERS,
    isOptional: false,
    check(login, _session, callback) {
      const { method, username = '', password } = login;
      const wanted = passwords.get(username);
      const isRight =
        wanted !== undefined &&
        (method === 'CRAM-MD5' ? login.validatePassword(wanted) : isSame(password ?? '', wanted));
      callback(null, isRight ? { user: username } : { message: 'Authentication credentials invalid' });
    },
  };
}

/** The same check behind the fault of phase `login`. */
export function faultedAuthentication(
  authentication: Authentication,
  context: Parameters<typeof rollLogin<LoginRefusal>>[0],
): Authentication {
  return {
    ...authentication,
    check(login, session, callback) {
      const goOn = (refusal: LoginRefusal | undefined): void => {
        if (refusal === undefined) return authentication.check(login, session, callback);
        const { code: responseCode = 535, message = 'Authentication credentials invalid' } = refusal;
        callback(Object.assign(new Error(message), { responseCode }));
      };
      const rolled = rollLogin(context);
      if (rolled instanceof Promise) void rolled.then(goOn);
      else goOn(rolled);
    },
  };
}

/** What a fault gives for its refusals. */
interface LoginRefusal {
  readonly code?: number;
  readonly message?: string;
}

function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
