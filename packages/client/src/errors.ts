import type { ErrorCode, Problem } from '@backlot/core';

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'timeout',
  409: 'conflict',
  413: 'too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  503: 'not_enabled',
};

/** What a server has refused, or that there is none: with the fields that errors of `@backlot/core` have. */
export class BacklotError extends Error {
  /** The stable name of the error. */
  readonly code: ErrorCode;
  /** One entry per problem of a value that did not validate. */
  readonly details: readonly Problem[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { readonly details?: readonly Problem[]; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'BacklotError';
    this.code = code;
    this.details = more.details;
  }
}

/**
 * The error of an answer that is none of success.
 *
 * @param text - the body of the answer
 * @param what - the request, as `GET /api/state`
 */
export function refusalOf(status: number, text: string, what: string): BacklotError {
  const given = readRefusal(text);
  const message = typeof given?.error === 'string' ? given.error : text.slice(0, 1000);
  // Whatever clears counts and messages ends waits with a conflict, which errors in the same process call so.
  const code = status === 409 && what.endsWith('/wait') ? 'cancelled' : (CODES[status] ?? 'internal');
  return new BacklotError(code, `${what}: ${message}`, given?.details ? { details: given.details } : {});
}

/** What a server says of a refusal; whatever else has come is shown as it is. */
function readRefusal(
  text: string,
): { readonly error?: unknown; readonly details?: readonly Problem[] } | null | undefined {
  try {
    return JSON.parse(text) as { readonly error?: unknown; readonly details?: readonly Problem[] } | null;
  } catch {
    return undefined;
  }
}
