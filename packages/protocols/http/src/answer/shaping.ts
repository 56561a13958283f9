import type { CompileTools, Pointer } from '@backlot/core/plugin';
import {
  chooseCoding,
  compressAnswer,
  isCompressible,
  rangeAnswer,
  withAcceptRanges,
  withVary,
  type HttpAnswer,
} from '@backlot/kit/http';
import type { HttpMessage } from '../message.js';
import type { ResponseDefinition } from '../schemas/response.js';

/** How a request changes the form of an answer. */
export interface Shaping {
  readonly compress: boolean;
  readonly ranges: boolean;
}

/** What is sent, and what the journal shows of it: of a compressed body the plain one. */
export interface ShapedAnswer {
  readonly sent: HttpAnswer;
  readonly shown: Pick<HttpAnswer, 'status' | 'headers' | 'body'>;
}

/** Compiles `compress` and `ranges`, which a stream cannot have. */
export function compileShaping(
  { compress = false, ranges = false }: ResponseDefinition,
  isStream: boolean,
  tools: CompileTools,
  at: Pointer,
): Shaping | undefined {
  if (!compress && !ranges) return undefined;
  if (isStream) {
    const name = compress ? 'compress' : 'ranges';
    tools.problem(`${at}/${name}`, `a stream has no whole body, which ${name} needs; leave it out`);
  }
  return { compress, ranges };
}

/** Gives an answer the form that a request asks for; a promise when it is compressed. */
export function shapeAnswer(
  answer: HttpAnswer,
  { compress, ranges }: Shaping,
  message: HttpMessage,
): ShapedAnswer | Promise<ShapedAnswer> {
  const { headers } = message;
  const offered = ranges && answer.status === 200 ? withAcceptRanges(answer) : answer;
  const whole = compress ? withVary(offered) : offered;
  const part = ranges
    ? rangeAnswer(whole, {
        method: message.method,
        range: textOf(headers['range']),
        ifRange: textOf(headers['if-range']),
      })
    : undefined;
  if (part !== undefined) return { sent: part, shown: part };
  const coding =
    compress && isCompressible(whole) ? chooseCoding(textOf(headers['accept-encoding'])) : undefined;
  if (coding === undefined) return { sent: whole, shown: whole };
  return compressAnswer(whole, coding).then((sent) => ({
    sent,
    shown: {
      status: sent.status,
      headers: sent.headers,
      ...(whole.body === undefined ? {} : { body: whole.body }),
    },
  }));
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}
