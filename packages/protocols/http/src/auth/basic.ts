import type { Pattern } from '@backlot/core/plugin';
import { challengeWith } from './challenge.js';
import { decodeBase64, decodeText, findCredentials } from './credentials.js';
import type { AuthInput, CompiledAuth } from './types.js';

/** User name and password in the `Authorization` header (RFC 7617). */
export function basicAuth(
  username: Pattern,
  password: Pattern,
  challengeRealm: string | undefined,
): CompiledAuth {
  const failure = (input: AuthInput): string | undefined => {
    const credentials = findCredentials(input.headers, 'basic');
    if (typeof credentials === 'string') {
      return credentials;
    }
    const bytes = decodeBase64(credentials.rest);
    if (bytes === undefined) {
      return 'basic credentials are not base64';
    }
    const text = decodeText(bytes);
    // RFC 7617, section 2: a user name holds no colon, a password may.
    const colon = text.indexOf(':');
    if (colon === -1) {
      return 'basic credentials have no colon between user name and password';
    }
    const user = text.slice(0, colon);
    if (!username.test(user, input.message)) {
      return username.reason('basic user name', user, input.message);
    }
    return password.test(text.slice(colon + 1), input.message)
      ? undefined
      : 'basic password is not the one this mock wants';
  };
  return {
    test(input) {
      const reason = failure(input);
      if (reason === undefined) {
        return true;
      }
      return challengeRealm === undefined
        ? reason
        : challengeWith(reason, `Basic realm="${challengeRealm}", charset="UTF-8"`);
    },
  };
}
