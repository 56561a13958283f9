import { Metadata } from '@grpc/grpc-js';
import type { GrpcMatch } from '../shape.js';
import { Code } from '../wire/status.js';
import type { CompiledError } from './compiled-error.js';

/** How a call ends. */
export interface Ending {
  readonly code: number;
  readonly message: string;
  readonly metadata?: Metadata | undefined;
}

/** The end of a call that nothing else is said of. */
export const ENDED_WELL: Ending = { code: Code.OK, message: 'OK' };

/**
 * The status and the trailers of a mock.
 *
 * @throws Error when they cannot be rendered
 */
export function makeEnding(match: GrpcMatch): Ending {
  return makeErrorEnding(match, match.mock.compiled.error, match);
}

/**
 * The trailers of a mock, with an error.
 *
 * @param renderer - renders the error
 * @throws Error when they cannot be rendered
 */
export function makeErrorEnding(
  match: GrpcMatch,
  error: CompiledError | undefined,
  renderer: Pick<GrpcMatch, 'render' | 'renderValue'>,
): Ending {
  const well = makeGoodEnding(match);
  if (error === undefined) return well;
  const { metadata } = well;
  const message = wellFormed(renderer.render(error.message));
  const details = error.details(message, (template) => renderer.renderValue(template));
  if (details === undefined) return { code: error.code, message, metadata };
  const whole = metadata?.clone() ?? new Metadata();
  whole.set('grpc-status-details-bin', details);
  return { code: error.code, message, metadata: whole };
}

/**
 * The trailers of a mock, without its error: of a stream that is closed before its end.
 *
 * @throws Error when they cannot be rendered
 */
export function makeGoodEnding(match: GrpcMatch): Ending {
  const { trailers } = match.mock.compiled;
  if (trailers === undefined) return ENDED_WELL;
  return { ...ENDED_WELL, metadata: trailers.make((template) => match.render(template)) };
}

/** Without halves of characters, which no client could decode. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
