import type { Message } from '@backlot/core/plugin';
import { challengeWith } from './challenge.js';
import { findCredentials } from './credentials.js';
import type { AuthInput, CompiledAuth } from './types.js';

/** Why a token is not good; `undefined` when it is. */
export type TokenTest = (token: string, message: Message | undefined) => string | undefined;

/** Bearer tokens in the `Authorization` header (RFC 6750, section 2.1). */
export function bearerAuth(test: TokenTest, challengeRealm: string | undefined): CompiledAuth {
  const failure = (input: AuthInput): { reason: string; hasToken: boolean } | undefined => {
    const credentials = findCredentials(input.headers, 'bearer');
    if (typeof credentials === 'string') {
      return { reason: credentials, hasToken: false };
    }
    if (credentials.rest === '') {
      return { reason: 'bearer credentials hold no token', hasToken: false };
    }
    const reason = test(credentials.rest, input.message);
    return reason === undefined ? undefined : { reason, hasToken: true };
  };
  return {
    test(input) {
      const failed = failure(input);
      if (failed === undefined) {
        return true;
      }
      if (challengeRealm === undefined) {
        return failed.reason;
      }
      // RFC 6750, section 3: no error code when the request had no token.
      const error = failed.hasToken ? ', error="invalid_token"' : '';
      return challengeWith(failed.reason, `Bearer realm="${challengeRealm}"${error}`);
    },
  };
}
