import type { Directory } from './data/directory.js';
import { foldDn, parseDn, type Dn } from './data/dn.js';
import { hasPassword } from './data/password.js';

/** A user of the configuration. */
interface User {
  readonly username: string;
  readonly password: string;
}

/** A name as somebody may write it: as a DN, or plainly. */
interface LoginName {
  /** The key of the DN; `undefined` for a plain name. */
  readonly key: string | undefined;
  /** The plain name, or the value that the DN begins with, in lower case. */
  readonly plain: string;
}

/** Who may bind: the users of the configuration, and the entries that have a password. */
export class Users {
  readonly #directory: Directory;
  readonly #warn: (why: string) => void;
  readonly #users: readonly { readonly name: LoginName; readonly password: string }[] | undefined;

  /**
   * @param users - absent: everybody may, as long as no entry has a password
   * @param warn - is told of passwords that cannot be checked
   */
  constructor(users: readonly User[] | undefined, directory: Directory, warn: (why: string) => void) {
    this.#directory = directory;
    this.#warn = warn;
    this.#users = users?.map(({ username, password }) => ({ name: readName(username), password }));
  }

  /** Whether a bind with a name and no password is refused as such (RFC 4513, section 5.1.2). */
  get refusesEmptyPasswords(): boolean {
    return this.#directory.hasPasswords;
  }

  /** Whether a name and its password are those of a user, or of an entry. */
  mayBind(name: string, password: string): boolean {
    const users = this.#users;
    if (users === undefined && !this.#directory.hasPasswords) return true;
    const given = readName(name);
    if (users?.some((user) => user.password === password && isSame(user.name, given)) === true) return true;
    const entry = given.key === undefined ? undefined : this.#directory.get(given.key);
    return entry !== undefined && hasPassword(entry, password, this.#warn);
  }
}

/** Names of SASL may say what they are (RFC 4513, section 5.2.1.8). */
const PREFIX = /^(?:u|dn):/i;

function readName(text: string): LoginName {
  const name = text.replace(PREFIX, '');
  const key = name.includes('=') ? foldDn(name) : undefined;
  const plain = key === undefined ? name : firstValue(parseDn(name));
  return { key, plain: plain.toLowerCase() };
}

function firstValue({ parts }: Dn): string {
  return parts[0]?.[0]?.value.toString('utf8') ?? '';
}

/** Two DNs are compared as such; else the plain name of the one is what the other begins with. */
function isSame(own: LoginName, given: LoginName): boolean {
  if (own.key !== undefined && given.key !== undefined) return own.key === given.key;
  return own.plain === given.plain;
}
