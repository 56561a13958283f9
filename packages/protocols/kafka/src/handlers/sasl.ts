import type { saslAuthenticate } from '../wire/apis/sasl-authenticate.js';
import type { saslHandshake } from '../wire/apis/sasl-handshake.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';

const PLAIN = 'PLAIN';

export const handleSaslHandshake: Handler<typeof saslHandshake> = ({ mechanism }) => ({
  errorCode: mechanism === PLAIN ? ERROR.NONE : ERROR.UNSUPPORTED_SASL_MECHANISM,
  mechanisms: [PLAIN],
});

export const handleSaslAuthenticate: Handler<typeof saslAuthenticate> = ({ authBytes }) =>
  isLogin(authBytes)
    ? {}
    : {
        errorCode: ERROR.SASL_AUTHENTICATION_FAILED,
        errorMessage: 'a login of PLAIN is an identity, a user and a password with a zero byte between them',
      };

/** Whether bytes are a login of PLAIN (RFC 4616, section 2); any user passes with any password. */
export function isLogin(bytes: Buffer): boolean {
  const parts = bytes.toString('utf8').split('\0');
  return parts.length === 3 && parts[1] !== '' && parts[2] !== '';
}
