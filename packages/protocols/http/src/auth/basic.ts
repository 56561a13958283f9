import type { Pattern } from '@backlot/core/plugin';
import { challengeWith } from './challenge.js';
import { decodeBase64, decodeText, findCredentials } from './credentials.js';
import type { AuthInput, CompiledAuth } from './types.js';
import type { Users } from './users.js';

/** Why a name and a password are not the right ones; `undefined` when they are. */
export type PersonTest = (
  name: string,
  password: string,
  message: AuthInput['message'],
) => string | undefined;

/** The person of a mock. */
export function onePerson(username: Pattern, password: Pattern): PersonTest {
  return (name, word, message) => {
    if (!username.test(name, message)) return username.reason('basic user name', name, message);
    return password.test(word, message) ? undefined : 'basic password is not the one this mock wants';
  };
}

/** A user of a collection. */
export function personOf(users: Users): PersonTest {
  return (name, word) => {
    for (const user of users()) {
      if (user.name === name)
        return user.password === word ? undefined : `basic password is not that of ${show(name)}`;
    }
    return `basic user name: there is no user ${show(name)}`;
  };
}

function show(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}

/** User name and password in the `Authorization` header (RFC 7617). */
export function basicAuth(test: PersonTest, challengeRealm: string | undefined): CompiledAuth {
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
    return test(text.slice(0, colon), text.slice(colon + 1), input.message);
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
