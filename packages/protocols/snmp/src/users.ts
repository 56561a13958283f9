import { invalid, isBacklotError, type Problem, type ValueOf } from '@backlot/core/plugin';
import type { ConfigSchema } from './schemas.js';
import { DES } from './wire/des.js';
import type { LibraryUser } from './wire/net-snmp.js';

type UserSettings = NonNullable<ValueOf<typeof ConfigSchema>['v3_users']>[number];

/** Security levels (RFC 3411 section 3.4.3), as net-snmp numbers them. */
export const LEVEL = { noAuthNoPriv: 1, authNoPriv: 2, authPriv: 3 } as const;

/** Protocols by their names without hyphens, in lower case, as net-snmp numbers them. */
const AUTH_PROTOCOLS = new Map([
  ['md5', 2],
  ['sha', 3],
  ['sha1', 3],
  ['sha224', 4],
  ['sha256', 5],
  ['sha384', 6],
  ['sha512', 7],
]);
const PRIV_PROTOCOLS = new Map([
  ['des', DES],
  ['aes', 4],
  ['aes128', 4],
  ['aes256', 6],
  ['aes256blumenthal', 6],
  ['aes256reeder', 8],
]);

const DEFAULT_ENGINE_ID = '8000b983046261636b6c6f74';

/** Checks users and engine ID. @throws BacklotError `invalid` with all problems */
export function checkConfig(config: ValueOf<typeof ConfigSchema>): void {
  const problems: Problem[] = [];
  const note = (check: () => unknown): void => {
    try {
      check();
    } catch (thrown) {
      if (!isBacklotError(thrown) || thrown.details === undefined) throw thrown;
      problems.push(...thrown.details);
    }
  };
  const names = new Set<string>();
  config.v3_users?.forEach((user, index) => {
    const at = `/v3_users/${index}`;
    note(() => names.has(user.username) && refuse(`${at}/username`, `"${user.username}" is there twice`));
    names.add(user.username);
    note(() => makeUser(user, at));
  });
  note(() => parseEngineId(config.engine_id));
  const [first] = problems;
  if (first !== undefined) throw invalid(`snmp ${first.path}: ${first.message}`, problems);
}

/** Makes the users by name. */
export function makeUsers(users: readonly UserSettings[] | undefined): ReadonlyMap<string, LibraryUser> {
  return new Map((users ?? []).map((user, index) => [user.username, makeUser(user, `/v3_users/${index}`)]));
}

/** Reads `engine_id`. @throws BacklotError `invalid` */
export function parseEngineId(given: string | undefined): Buffer {
  const digits = (given ?? DEFAULT_ENGINE_ID).replace(/^0x/i, '').replaceAll(/[\s:]/g, '');
  // RFC 3411 section 5, SnmpEngineID: all zeros and all ones are none.
  if (/^(?:[\da-f]{2}){5,32}$/i.test(digits) && !/^(?:0+|f+)$/i.test(digits))
    return Buffer.from(digits, 'hex');
  return refuse(
    '/engine_id',
    `must be 5 to 32 hexadecimal octets such as 0x${DEFAULT_ENGINE_ID}, not all 00 or ff, got ${JSON.stringify(given)}`,
  );
}

function makeUser(user: UserSettings, at: string): LibraryUser {
  const { username: name, auth_protocol: auth, auth_passphrase: authKey, priv_protocol: priv } = user;
  if (auth === undefined) {
    if (authKey !== undefined) refuse(`${at}/auth_protocol`, 'is missing beside auth_passphrase');
    if (priv !== undefined || user.priv_passphrase !== undefined) {
      refuse(`${at}/auth_protocol`, 'is missing: SNMPv3 has no privacy without authentication');
    }
    return { name, level: LEVEL.noAuthNoPriv };
  }
  const authProtocol =
    protocolOf(AUTH_PROTOCOLS, auth) ??
    refuse(`${at}/auth_protocol`, `must be MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512, got "${auth}"`);
  if (authKey === undefined) refuse(`${at}/auth_passphrase`, `is missing beside auth_protocol "${auth}"`);
  if (priv === undefined) {
    if (user.priv_passphrase !== undefined)
      refuse(`${at}/priv_protocol`, 'is missing beside priv_passphrase');
    return { name, level: LEVEL.authNoPriv, authProtocol, authKey };
  }
  const privProtocol =
    protocolOf(PRIV_PROTOCOLS, priv) ??
    refuse(`${at}/priv_protocol`, `must be DES, AES, AES-256 or AES-256-Reeder, got "${priv}"`);
  return {
    name,
    level: LEVEL.authPriv,
    authProtocol,
    authKey,
    privProtocol,
    privKey: user.priv_passphrase ?? authKey,
  };
}

function protocolOf(protocols: ReadonlyMap<string, number>, given: string): number | undefined {
  return protocols.get(given.toLowerCase().replaceAll(/[-_]/g, ''));
}

function refuse(path: string, message: string): never {
  throw invalid(`snmp ${path}: ${message}`, [{ path, message }]);
}
