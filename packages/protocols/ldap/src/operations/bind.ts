import { parseResultCode, RESULT } from '../result-codes.js';
import type { Users } from '../users.js';
import type { Result } from '../wire/encode.js';
import type { BindRequest } from '../wire/request.js';

/** What became of a bind. */
export interface Bound {
  readonly result: Result;
  /** Who it is from now on, as whoami says it (RFC 4513, section 5.2.1.8): empty for nobody in particular. */
  readonly identity: string;
}

/** The SASL mechanisms there are. */
export const SASL_MECHANISMS = ['PLAIN'] as const;

const REFUSED: Bound = {
  result: { code: RESULT.invalidCredentials, message: 'no user has this name and password' },
  identity: '',
};

/** Answers a bind (RFC 4511, section 4.2). */
export function bind({ version, name, simple, sasl }: BindRequest, users: Users): Bound {
  if (version !== 3) {
    const message = `version ${version} of LDAP is not spoken here; use 3`;
    return { result: { code: RESULT.protocolError, message }, identity: '' };
  }
  if (sasl !== undefined) return bindBySasl(sasl, users);
  const password = simple ?? '';
  if (name === '' && password === '') return pass('');
  return users.mayBind(name, password) ? pass(identityOf(name)) : refuse(password, users);
}

function bindBySasl({ mechanism, credentials }: NonNullable<BindRequest['sasl']>, users: Users): Bound {
  if (mechanism.toUpperCase() !== 'PLAIN') {
    const message = `SASL ${mechanism} is not spoken here; use PLAIN`;
    return { result: { code: RESULT.authMethodNotSupported, message }, identity: '' };
  }
  // RFC 4616: [authzid] NUL authcid NUL passwd. A client may ask whether it is to begin.
  if (credentials === undefined) return { result: { code: RESULT.saslBindInProgress }, identity: '' };
  const [authorization = '', name, password, ...rest] = credentials.toString('utf8').split('\0');
  if (name === undefined || name === '' || password === undefined || rest.length > 0) return REFUSED;
  if (!users.mayBind(name, password)) return refuse(password, users);
  return pass(identityOf(authorization === '' ? name : authorization));
}

/** Who a client is that a mock lets in. */
export function identityOfBind({ name, sasl }: BindRequest): string {
  if (sasl === undefined) return identityOf(name);
  const [authorization = '', user = ''] = sasl.credentials?.toString('utf8').split('\0') ?? [];
  return sasl.mechanism.toUpperCase() === 'PLAIN'
    ? identityOf(authorization === '' ? user : authorization)
    : '';
}

/** How somebody binds, as the journal shows it. */
export function mechanismOf({ sasl }: BindRequest): string {
  return sasl === undefined ? 'simple' : `SASL ${sasl.mechanism}`;
}

/** What a fault of phase `login` gives for its refusals. */
export interface LoginRefusal {
  readonly result_code?: string | number;
  readonly message?: string;
}

/** What becomes of a bind that a fault refuses. */
export function refuseBind({ result_code: code, message }: LoginRefusal): Bound {
  const { result } = REFUSED;
  return {
    result: {
      code: code === undefined ? result.code : parseResultCode(code),
      message: message ?? 'fault injected',
    },
    identity: '',
  };
}

/** A name without a password is no attempt to log in, which servers refuse to take for one (RFC 4513, section 5.1.2). */
function refuse(password: string, users: Users): Bound {
  if (password !== '' || !users.refusesEmptyPasswords) return REFUSED;
  const message = 'unauthenticated bind (a DN with no password) is not allowed';
  return { result: { code: RESULT.unwillingToPerform, message }, identity: '' };
}

function pass(identity: string): Bound {
  return { result: { code: RESULT.success }, identity };
}

/** Who somebody is that has bound with a name, see `Bound.identity`. */
export function identityOf(name: string): string {
  if (name === '' || /^(?:u|dn):/i.test(name)) return name;
  return name.includes('=') ? `dn:${name}` : `u:${name}`;
}
