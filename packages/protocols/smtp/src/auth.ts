import { invalid, type ValueOf } from '@backlot/core/plugin';
import { BEARER_MECHANISMS, Logins, rollLogin } from '@backlot/kit';
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
  const logins = new Logins(users);
  const methods = users === undefined ? WITHOUT_USERS : WITH_USERS;
  return {
    methods: logins.takesTokens ? [...methods, ...BEARER_MECHANISMS] : methods,
    isOptional: users === undefined,
    check(login, _session, callback) {
      const { method, username = '', password, accessToken } = login;
      if (accessToken !== undefined) {
        const wanted = username === '' ? undefined : username;
        return callback(null, answerTo(logins.userOf(accessToken, wanted)));
      }
      const isRight =
        method === 'CRAM-MD5'
          ? logins.isProven(username, (wanted) => login.validatePassword(wanted))
          : logins.isRight(username, password ?? '');
      callback(null, answerTo(isRight ? username || 'anonymous' : undefined));
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
        const { code: responseCode = 535, message = REFUSED } = refusal;
        callback(Object.assign(new Error(message), { responseCode }));
      };
      const rolled = rollLogin(context);
      if (rolled instanceof Promise) void rolled.then(goOn);
      else goOn(rolled);
    },
  };
}

const REFUSED = 'Authentication credentials invalid';

/** What a fault gives for its refusals. */
interface LoginRefusal {
  readonly code?: number;
  readonly message?: string;
}

function answerTo(user: string | undefined): { readonly user: string } | { readonly message: string } {
  return user === undefined ? { message: REFUSED } : { user };
}
