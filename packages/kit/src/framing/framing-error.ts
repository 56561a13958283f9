/**
 * What is wrong with received bytes: `too_long` (beyond a limit), `truncated` (a value ends before its last byte),
 * `malformed` (anything else).
 */
export type FramingErrorCode = 'too_long' | 'truncated' | 'malformed';

/**
 * Thrown for received bytes that cannot be a message. Catch it to answer with the protocol's own error; otherwise the
 * connection ends.
 */
export class FramingError extends Error {
  readonly code: FramingErrorCode;

  constructor(code: FramingErrorCode, message: string) {
    super(message);
    this.name = 'FramingError';
    this.code = code;
  }
}

/** Whether a value is a {@link FramingError}, of this or of another copy of the package. */
export function isFramingError(value: unknown): value is FramingError {
  return value instanceof Error && value.name === 'FramingError';
}
