import { types } from 'node:util';

/**
 * Every error that reaches a user has one of these codes; the number is the HTTP status with which the
 * management port answers it.
 */
export const ERROR_STATUS = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  port_in_use: 409,
  cancelled: 409,
  precondition_failed: 412,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  internal: 500,
  send_failed: 500,
  not_enabled: 503,
  unavailable: 503,
  unconfirmed: 504,
} as const;

/** The stable name of an error, the same in every release. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** One thing that is wrong with a given value. */
export interface Problem {
  /** Where: a JSON pointer (RFC 6901) into the value that was given; `""` is the value itself. */
  readonly path: string;
  /** What was wrong, with the value, and what would be right. */
  readonly message: string;
}

/**
 * An error that a person can act on. Recognise it with {@link isBacklotError}: two copies of this package may
 * be loaded in one process, so `instanceof` alone is not enough.
 */
export class BacklotError extends Error {
  /** The stable name of the error. */
  readonly code: ErrorCode;
  /** The HTTP status that belongs to the code. */
  readonly status: number;
  /**
   * One entry per problem of a value that did not validate, a hundred at most and one that says how many more there
   * are.
   */
  readonly details: readonly Problem[] | undefined;
  /** Further fields for the error's JSON answer, such as `want` and `got` of a wait that timed out. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: readonly Problem[]; fields?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'BacklotError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = atMost(more.details);
    this.fields = more.fields;
  }
}

const MAX_DETAILS = 100;

function atMost(details: readonly Problem[] | undefined): readonly Problem[] | undefined {
  if (details === undefined || details.length <= MAX_DETAILS + 1) return details;
  const message = `${details.length - MAX_DETAILS} more problems are not named`;
  return [...details.slice(0, MAX_DETAILS), { path: '', message }];
}

/** Whether a value is a {@link BacklotError}, of this or of another copy of the package. */
export function isBacklotError(value: unknown): value is BacklotError {
  return (
    value instanceof Error &&
    value.name === 'BacklotError' &&
    typeof (value as { code?: unknown }).code === 'string' &&
    Object.hasOwn(ERROR_STATUS, (value as unknown as { code: string }).code)
  );
}

/**
 * Makes the error for a value that is not acceptable.
 *
 * @param message - what was wrong, with the value, and what would be right
 * @param details - one entry per problem, with a JSON pointer each
 */
export function invalid(message: string, details?: readonly Problem[]): BacklotError {
  return new BacklotError('invalid', message, details === undefined ? {} : { details });
}

/**
 * Runs a check of one part of a value. What it throws becomes an `invalid` with the place of that part.
 *
 * @param path - the JSON pointer of the part
 * @returns what the check made of it
 * @throws BacklotError `invalid` with the part's path
 */
export function checkAt<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    const message = messageOf(thrown);
    throw invalid(message, [{ path, message }]);
  }
}

/**
 * The problems that something thrown names, or itself as the only one.
 *
 * @param at - the JSON pointer of what was checked; the problems stand below it
 */
export function problemsIn(thrown: unknown, at = ''): readonly Problem[] {
  const details = isBacklotError(thrown) ? thrown.details : undefined;
  return (details ?? [{ path: '', message: messageOf(thrown) }]).map(({ path, message }) => ({
    path: at + path,
    message,
  }));
}

/** The text of anything that was thrown, errors of another realm included. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return types.isNativeError(thrown) ? thrown.message : String(thrown);
}
