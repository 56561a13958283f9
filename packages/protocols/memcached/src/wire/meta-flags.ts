import { ERRORS, type ProtocolError } from './error-text.js';
import { parseCas, parseFlags, parseSigned, parseUint64 } from './numbers.js';

/** More flags than this are not taken. */
const MAX_FLAGS = 20;
/** An opaque token is shorter than this. */
const OPAQUE_END = 32;
/** The flags that are known; P and L are for proxies, and mean nothing here. */
const KNOWN = new Set('bcfhklqstuvNRTOCFIMJDPL');

const duplicate: ProtocolError = { type: 'CLIENT_ERROR', text: 'duplicate flag' };
const invalid: ProtocolError = { type: 'CLIENT_ERROR', text: 'invalid flag' };
const opaqueTooLong: ProtocolError = { type: 'CLIENT_ERROR', text: 'opaque token too long' };
const badModeLength: ProtocolError = { type: 'CLIENT_ERROR', text: 'incorrect length for M token' };
const tooMany: ProtocolError = { type: 'CLIENT_ERROR', text: 'options flags are too long' };
/** What `md` and `ma` say of any flag that they cannot read. */
const invalidOrDuplicate: ProtocolError = { type: 'CLIENT_ERROR', text: 'invalid or duplicate flag' };

/** The flags of one meta command (protocol.txt, "Meta Get", "Meta Set", "Meta Delete", "Meta Arithmetic"). */
export class MetaFlags {
  /** As they were sent, in their order. */
  readonly sent: readonly string[];
  /** N: seconds that what is made on a miss lives. */
  vivify: number | undefined = undefined;
  /** R: win when so many seconds or less are left. */
  recache: number | undefined = undefined;
  /** T */
  exptime: number | undefined = undefined;
  /** C */
  cas: number | undefined = undefined;
  /** F */
  clientFlags = 0;
  /** M */
  mode = '';
  /** J */
  initial = 0n;
  /** D */
  delta = 1n;
  readonly #letters = new Set<string>();

  constructor(sent: readonly string[]) {
    this.sent = sent;
  }

  /** Whether the flag of this letter was sent. */
  has(letter: string): boolean {
    return this.#letters.has(letter);
  }

  /** Takes one flag; gives what is wrong with it. */
  take(flag: string): ProtocolError | undefined {
    const letter = flag.charAt(0);
    const token = flag.slice(1);
    if (this.#letters.has(letter)) return duplicate;
    this.#letters.add(letter);
    if (!KNOWN.has(letter)) return invalid;
    return this.#takeToken(letter, token);
  }

  #takeToken(letter: string, token: string): ProtocolError | undefined {
    switch (letter) {
      case 'N':
        return (this.vivify = parseSigned(token)) === undefined ? ERRORS.badToken : undefined;
      case 'R':
        return (this.recache = parseSigned(token)) === undefined ? ERRORS.badToken : undefined;
      case 'T':
        return (this.exptime = parseSigned(token)) === undefined ? ERRORS.badToken : undefined;
      case 'C':
        return (this.cas = parseCas(token)) === undefined ? ERRORS.badToken : undefined;
      case 'F':
        return setNumber(parseFlags(token), ERRORS.badLine, (flags) => (this.clientFlags = flags));
      case 'J':
        return setNumber(parseUint64(token), ERRORS.badToken, (initial) => (this.initial = initial));
      case 'D':
        return setNumber(parseUint64(token), ERRORS.badToken, (delta) => (this.delta = delta));
      case 'M':
        this.mode = token.charAt(0);
        return token === '' ? badModeLength : undefined;
      case 'O':
        return token.length >= OPAQUE_END ? opaqueTooLong : undefined;
      default:
        return undefined;
    }
  }
}

function setNumber<T>(
  number: T | undefined,
  error: ProtocolError,
  set: (number: T) => unknown,
): ProtocolError | undefined {
  if (number === undefined) return error;
  set(number);
  return undefined;
}

/** The modes of `ms` and of `ma`. */
const MODES: Readonly<Record<string, RegExp>> = { ms: /^[EAPRS]/, ma: /^[ID+-]/ };

/** Reads the flags of a meta command, or says what is wrong with them. */
export function parseMetaFlags(command: string, sent: readonly string[]): MetaFlags | ProtocolError {
  if (sent.length > MAX_FLAGS) return tooMany;
  const flags = new MetaFlags(sent);
  for (const flag of sent) {
    const problem = flags.take(flag);
    if (problem !== undefined) return command === 'md' || command === 'ma' ? invalidOrDuplicate : problem;
  }
  const modes = Object.hasOwn(MODES, command) ? MODES[command] : undefined;
  if (modes !== undefined && flags.mode !== '' && !modes.test(flags.mode)) {
    return { type: 'CLIENT_ERROR', text: `invalid mode for ${command} M token` };
  }
  return flags;
}
