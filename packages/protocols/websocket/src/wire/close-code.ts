import { invalid } from '@backlot/core/plugin';

/** The codes that Backlot itself closes with (RFC 6455, section 7.4.1). */
export const NORMAL = 1000;
export const GOING_AWAY = 1001;
export const PROTOCOL_ERROR = 1002;
/** For what is not as its type says, such as a text that is no UTF-8. */
export const INVALID_TEXT = 1007;
export const POLICY_VIOLATION = 1008;
const TOO_BIG = 1009;
export const INTERNAL_ERROR = 1011;

/** A code as a close frame can have it; `undefined` for those that say what happened without one. */
export function sendableCode(code: number): number | undefined {
  try {
    checkCloseCode(code);
    return code;
  } catch {
    return undefined;
  }
}

const MAX_REASON_LENGTH = 123;

/**
 * Checks a code for a close frame. 1004, 1005, 1006 and 1015 are reserved and never sent.
 *
 * @throws BacklotError `invalid`
 */
export function checkCloseCode(code: number): void {
  const isDefined = code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
  if (isDefined || (code >= 3000 && code <= 4999)) return;
  throw invalid(`${code} is no close code that can be sent; use 1000 to 1003, 1007 to 1014, or 3000 to 4999`);
}

/**
 * Checks the reason of a close frame: a control frame holds 125 bytes, two of them the code.
 *
 * @throws BacklotError `invalid`
 */
export function checkReason(reason: string): void {
  const length = Buffer.byteLength(reason);
  if (length > MAX_REASON_LENGTH)
    throw invalid(`the reason has ${length} bytes; a close frame holds ${MAX_REASON_LENGTH} at most`);
}

/** The start of a text that a close frame can hold, cut between characters. */
export function clipReason(reason: string): string {
  if (reason.length <= MAX_REASON_LENGTH / 3) return reason;
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_LENGTH) return bytes.toString();
  let end = MAX_REASON_LENGTH;
  // Not in the middle of a character: its further bytes are 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

const BY_ERROR: ReadonlyMap<string, number> = new Map([
  ['WS_ERR_INVALID_UTF8', INVALID_TEXT],
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', TOO_BIG],
  ['WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH', TOO_BIG],
  ['WS_ERR_TOO_MANY_BUFFERED_PARTS', POLICY_VIOLATION],
]);

/** The code with which `ws` closes after this error of what it received; `undefined` for one of the socket. */
export function codeOfError(error: Error): number | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code.startsWith('WS_ERR_') ? (BY_ERROR.get(code) ?? PROTOCOL_ERROR) : undefined;
}
