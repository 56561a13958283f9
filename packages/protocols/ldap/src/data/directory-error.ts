import type { Result } from '../wire/encode.js';

/** An operation that is refused with a result code. */
export class DirectoryError extends Error {
  readonly result: Result;

  constructor(code: number, message: string, matchedDn = '') {
    super(message);
    this.name = 'DirectoryError';
    this.result = { code, message, matchedDn };
  }
}
