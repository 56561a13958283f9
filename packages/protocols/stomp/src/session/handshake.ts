import { show, StompError } from '../wire/stomp-error.js';
import type { Headers } from '../wire/frame.js';
import { negotiateVersion, VERSIONS, type Version } from '../wire/version.js';

/** Who may log in. */
export type Users = readonly { readonly username: string; readonly password: string }[];

/** Milliseconds between heart-beats; 0 is none. */
export interface HeartBeat {
  /** What this server sends at least every so often. */
  readonly sends: number;
  /** What the client sends at least every so often. */
  readonly expects: number;
}

/** What client and server have agreed on. */
export interface Agreement {
  readonly version: Version;
  readonly heartBeat: HeartBeat;
}

/** Shorter intervals would only cost time; a client that asks for one gets this. In ms. */
const SHORTEST_BEAT = 50;
const NO_BEAT: HeartBeat = { sends: 0, expects: 0 };

/**
 * Reads the headers of CONNECT.
 *
 * @throws StompError when there is no common version, the login is refused, or a header cannot be read
 */
export function agree(headers: Headers, users: Users | undefined): Agreement {
  const version = negotiateVersion(headers['accept-version']);
  if (version === undefined) {
    throw new StompError(
      'no common version',
      `accept-version is ${show(headers['accept-version'] ?? '')}; supported protocol versions are ${VERSIONS.join(' ')}`,
      { version: VERSIONS.join(',') },
    );
  }
  if (users !== undefined && users.length > 0) checkLogin(headers, users);
  return { version, heartBeat: version === '1.0' ? NO_BEAT : agreeOnHeartBeat(headers['heart-beat']) };
}

function checkLogin({ login, passcode }: Headers, users: Users): void {
  if (login === undefined)
    throw new StompError('login required', 'CONNECT has no header login; give login and passcode');
  if (users.some(({ username, password }) => username === login && password === (passcode ?? ''))) return;
  throw new StompError('login refused', `login ${show(login)} with this passcode is not known here`);
}

/** "Heart-beating": the server offers what the client wishes for, so that both ends have the same two numbers. */
function agreeOnHeartBeat(header: string | undefined): HeartBeat {
  if (header === undefined) return NO_BEAT;
  const numbers = /^\s*([0-9]{1,15})\s*,\s*([0-9]{1,15})\s*$/.exec(header);
  if (numbers === null)
    throw new StompError(
      'bad heart-beat',
      `the header heart-beat is ${show(header)}; it must be two numbers of milliseconds, as in 10000,10000`,
    );
  return { sends: intervalOf(numbers[2]), expects: intervalOf(numbers[1]) };
}

function intervalOf(digits: string | undefined): number {
  const interval = Number(digits ?? 0);
  return interval === 0 ? 0 : Math.max(interval, SHORTEST_BEAT);
}
