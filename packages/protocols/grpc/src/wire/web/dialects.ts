import { Code } from '../status.js';
import type { RpcStatus } from '../rpc-call.js';
import type { AnswerHeaders } from '../carrier.js';
import { connectError, DETAILS } from './connect-error.js';
import { headersOf } from '../http-call.js';

/** What differs between the wires whose messages have a length before each. */
export interface Dialect {
  /** The status of a request that is no message of its type. */
  readonly malformed: number;
  /** The headers that say how messages are compressed: of the request, those that the client takes, and of the answer. */
  readonly encoding: string;
  readonly accepted: string;
  /** The flag of the part that ends an answer, and what is in it. */
  readonly endFlag: number;
  end(status: RpcStatus): string;
}

/** gRPC-Web: what gRPC sends as trailers of HTTP is the last part of the body. */
export const GRPC_WEB: Dialect = {
  malformed: Code.INTERNAL,
  encoding: 'grpc-encoding',
  accepted: 'grpc-accept-encoding',
  endFlag: 0x80,
  end({ code, details, metadata }) {
    const trailers: AnswerHeaders = { ...headersOf(metadata), 'grpc-status': String(code) };
    if (code !== Code.OK) trailers['grpc-message'] = percentEncode(details);
    return Object.entries(trailers)
      .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}\r\n`))
      .join('');
  },
};

/** The streams of Connect: the last part of the body is JSON. */
export const CONNECT_STREAM: Dialect = {
  malformed: Code.INVALID_ARGUMENT,
  encoding: 'connect-content-encoding',
  accepted: 'connect-accept-encoding',
  endFlag: 0x02,
  end(status) {
    const metadata = trailersOf(status);
    return JSON.stringify({
      ...(status.code === Code.OK ? {} : { error: connectError(status) }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    });
  },
};

/** The metadata after an answer, without what Connect says in the error itself; every key has a list of values. */
function trailersOf({ metadata }: RpcStatus): Record<string, readonly string[]> {
  const trailers = Object.entries(headersOf(metadata)).filter(([name]) => name !== DETAILS);
  return Object.fromEntries(trailers.map(([name, values]) => [name, [values].flat()]));
}

/** A text as `grpc-message` has it. */
function percentEncode(text: string): string {
  return text.replace(/[^ -$&-~]/gu, (character) =>
    Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    ),
  );
}
