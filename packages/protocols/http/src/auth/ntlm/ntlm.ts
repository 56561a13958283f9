import { challengeWith } from '../challenge.js';
import { decodeBase64, findCredentials } from '../credentials.js';
import type { AuthResult, CompiledAuth } from '../types.js';
import type { ConnectionAuth } from './connection.js';
import { isNtlm, readMessage } from './messages.js';
import { ntHash, upper } from './responses.js';
import type { Users } from '../users.js';
import type { NtlmCredentials } from './verify.js';

/** What an NTLM handshake is checked against. */
export interface NtlmSettings {
  /** A user name, or `DOMAIN\user`. Absent: any user. */
  readonly username: string | undefined;
  /** Absent: any password. */
  readonly password: string | undefined;
  /** Users in place of that one. */
  readonly users: Users | undefined;
  /** The name of the server and its domain in the challenge. */
  readonly target: string;
}

/**
 * NTLM over HTTP ([MS-NTHT]): a handshake of two 401 answers authenticates the connection, and later requests on it
 * need no credentials. Raw NTLM messages under the scheme `Negotiate` are taken too.
 */
export function ntlmAuth(settings: NtlmSettings): CompiledAuth {
  const find = finderOf(settings);
  return {
    test(input) {
      const { connection } = input;
      if (connection === undefined) {
        return 'NTLM authenticates a connection, and this message has none';
      }
      const found = findCredentials(input.headers, 'ntlm', 'negotiate');
      if (typeof found === 'string') {
        return connection.user === undefined ? start(found) : decide(connection, find(connection));
      }
      const bytes = decodeBase64(found.rest);
      if (bytes === undefined) {
        return start('NTLM message is not base64');
      }
      if (!isNtlm(bytes)) {
        return start(`${found.scheme} credentials hold no NTLM message`);
      }
      const message = readMessage(bytes, connection.agreedFlags);
      if (typeof message === 'string') {
        return start(message);
      }
      if (message.type === 'negotiate') {
        const scheme = found.scheme === 'ntlm' ? 'NTLM' : 'Negotiate';
        const token = connection.challenge(message, settings.target).toString('base64');
        return challengeWith('NTLM handshake is under way', `${scheme} ${token}`);
      }
      if (!connection.isChallenged) {
        return start('NTLM message of type 3 came without a challenge on this connection');
      }
      connection.authenticate(message);
      return decide(connection, find(connection));
    },
  };
}

function start(reason: string): AuthResult {
  return challengeWith(reason, 'NTLM');
}

function decide(connection: ConnectionAuth, credentials: NtlmCredentials | string): AuthResult {
  const verdict = typeof credentials === 'string' ? credentials : connection.proves(credentials);
  return verdict === true ? true : start(verdict);
}

/** What the client of a connection has to prove, or why it cannot prove anything. */
type Finder = (connection: ConnectionAuth) => NtlmCredentials | string;

function finderOf({ username, password, users }: NtlmSettings): Finder {
  if (users !== undefined) return (connection) => ofUser(users, connection.user);
  const slash = username?.indexOf('\\') ?? -1;
  const credentials = {
    user: username?.slice(slash + 1),
    domain: slash === -1 ? undefined : username?.slice(0, slash),
    hash: password === undefined ? undefined : ntHash(password),
  };
  return () => credentials;
}

function ofUser(users: Users, user: ConnectionAuth['user']): NtlmCredentials | string {
  const wanted = user?.name ?? '';
  for (const { name, password, domain } of users()) {
    if (upper(name) === upper(wanted)) return { user: name, domain, hash: ntHash(password) };
  }
  return `NTLM user: there is no user ${JSON.stringify(wanted.slice(0, 100))}`;
}
