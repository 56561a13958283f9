import type { Result } from '../wire/encode.js';

/** An operation that is refused with a result code. */
export class DirectoryError extends Error {
  readonly result: Result;

  /** @param referral - addresses of other servers, with the result code referral */
  constructor(code: number, message: string, matchedDn = '', referral?: readonly string[]) {
    super(message);
    this.name = 'DirectoryError';
    this.result = { code, message, matchedDn, ...(referral && { referral }) };
  }
}
