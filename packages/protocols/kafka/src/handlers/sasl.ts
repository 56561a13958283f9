import type { saslAuthenticate } from '../wire/apis/sasl-authenticate.js';
import type { saslHandshake } from '../wire/apis/sasl-handshake.js';
import { rollLogin } from '@backlot/kit';
import { ERROR, parseErrorCode } from '../wire/errors.js';
import type { Handler } from './call.js';

const PLAIN = 'PLAIN';

export const handleSaslHandshake: Handler<typeof saslHandshake> = ({ mechanism }) => ({
  errorCode: mechanism === PLAIN ? ERROR.NONE : ERROR.UNSUPPORTED_SASL_MECHANISM,
  mechanisms: [PLAIN],
});

export const handleSaslAuthenticate: Handler<typeof saslAuthenticate> = (
  { authBytes },
  call,
  { context },
) => {
  if (!isLogin(authBytes)) {
    return {
      errorCode: ERROR.SASL_AUTHENTICATION_FAILED,
      errorMessage: 'a login of PLAIN is an identity, a user and a password with a zero byte between them',
    };
  }
  const named = userOf(authBytes);
  const user = context.spaces.userOf(named) ?? named;
  const answer = (refusal: { readonly error_code?: string | number } | undefined): Refused | object => {
    if (refusal !== undefined) return refuse(refusal.error_code);
    call.loggedIn(user);
    return {};
  };
  const rolled = rollLogin(context);
  return rolled instanceof Promise ? rolled.then(answer) : answer(rolled);
};

interface Refused {
  readonly errorCode: number;
  readonly errorMessage: string;
}

/** What refuses a login when a fault fires. */
function refuse(code: string | number = ERROR.SASL_AUTHENTICATION_FAILED): Refused {
  return { errorCode: parseErrorCode(code), errorMessage: 'Authentication failed: fault injected' };
}

/** The user of a login of PLAIN. */
export function userOf(bytes: Buffer): string {
  return bytes.toString('utf8').split('\0')[1] ?? '';
}

/** Whether bytes are a login of PLAIN (RFC 4616, section 2); any user passes with any password. */
export function isLogin(bytes: Buffer): boolean {
  const parts = bytes.toString('utf8').split('\0');
  return parts.length === 3 && parts[1] !== '' && parts[2] !== '';
}
