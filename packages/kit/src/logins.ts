import { createHash, timingSafeEqual } from 'node:crypto';
import { compilePattern, invalid, type Pattern, type PatternSource } from '@backlot/core/plugin';

/** A user as a configuration has one. */
export interface LoginUser {
  readonly username: string;
  readonly password?: string;
  /** Which access tokens of OAuth 2 are the user's. */
  readonly access_token?: PatternSource;
}

interface KnownUser {
  readonly username: string;
  readonly password: string | undefined;
  readonly token: Pattern | undefined;
}

/** Who logs in with a token that names nobody, where any token is right. */
const ANYBODY = 'anonymous';

/** Tells right logins from wrong ones: by password, or by access token. */
export class Logins {
  readonly #users: readonly KnownUser[] | undefined;

  /**
   * @param users - `undefined` when every login is right
   * @throws BacklotError `invalid` for a user that cannot log in by anything
   */
  constructor(users: readonly LoginUser[] | undefined) {
    this.#users = users?.map(({ username, password, access_token: source }) => {
      if (password === undefined && source === undefined)
        throw invalid(`user "${username}" has neither a password nor an access_token; give one, or both`);
      return { username, password, token: source === undefined ? undefined : compilePattern(source) };
    });
  }

  /** Whether some token can be right. */
  get takesTokens(): boolean {
    return this.#users?.some(({ token }) => token !== undefined) ?? true;
  }

  isRight(username: string, password: string): boolean {
    return this.isProven(username, (wanted) => isSame(password, wanted));
  }

  /**
   * The same for a proof of the password.
   *
   * @param proves - whether it is one of this password
   */
  isProven(username: string, proves: (password: string) => boolean): boolean {
    return (
      this.#users?.some(
        (user) => user.username === username && user.password !== undefined && proves(user.password),
      ) ?? true
    );
  }

  /**
   * Whose token it is; `undefined` for nobody's.
   *
   * @param username - whom the client wants to be; `undefined` when the token alone says that
   */
  userOf(token: string, username: string | undefined): string | undefined {
    if (token === '') return undefined;
    if (this.#users === undefined) return username ?? ANYBODY;
    const isMeant = (user: KnownUser): boolean => username === undefined || user.username === username;
    return this.#users.find((user) => isMeant(user) && user.token?.test(token) === true)?.username;
  }
}

function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
