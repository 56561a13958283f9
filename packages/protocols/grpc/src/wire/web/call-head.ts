import type { IncomingHttpHeaders } from 'node:http';
import { messageOf } from '@backlot/core/plugin';
import { Code } from '../status.js';
import { CONNECT_TIMEOUT, readTimeout, TIMEOUT } from '../timeout.js';
import { codingOf, type Coding } from './compression.js';
import { readGet, type GetRequest } from './get-request.js';

const VERSION = 'connect-protocol-version';

/** What is wrong with a request before its messages are looked at. */
export interface Problem {
  readonly code: number;
  readonly message: string;
}

/** What the headers of a call say of how it is carried. */
export interface ReadHead {
  readonly problem?: Problem;
  /** How long the client waits, in milliseconds. */
  readonly deadline: number | undefined;
  /** How the messages of the request are compressed. */
  readonly coding: Coding | undefined;
}

/** Reads the headers of a call of gRPC-Web. */
export function readGrpcWebHead(headers: IncomingHttpHeaders): ReadHead {
  const { [TIMEOUT]: timeout, 'grpc-encoding': encoding } = headers;
  const deadline = typeof timeout === 'string' ? readTimeout(timeout) : undefined;
  if (timeout !== undefined && deadline === undefined) {
    const message = `Invalid ${TIMEOUT} value ${JSON.stringify(timeout)}`;
    return { problem: { code: Code.INTERNAL, message }, deadline, coding: undefined };
  }
  return { deadline, ...readCoding(encoding) };
}

/** Reads the headers of a call of Connect. @param encoding - the header that says how messages are compressed */
export function readConnectHead(
  headers: IncomingHttpHeaders,
  encoding: 'content-encoding' | 'connect-content-encoding',
): ReadHead {
  const { [CONNECT_TIMEOUT]: timeout, [VERSION]: version } = headers;
  const nothing = { deadline: undefined, coding: undefined };
  const code = Code.INVALID_ARGUMENT;
  if (version !== undefined && version !== '1')
    return {
      ...nothing,
      problem: { code, message: `${VERSION} must be "1", got ${JSON.stringify(version)}` },
    };
  if (timeout !== undefined && !/^\d{1,10}$/.test(String(timeout))) {
    const message = `${CONNECT_TIMEOUT} must be 1 to 10 digits, got ${JSON.stringify(timeout)}`;
    return { ...nothing, problem: { code, message } };
  }
  return { deadline: timeout === undefined ? undefined : Number(timeout), ...readCoding(headers[encoding]) };
}

/** Reads a call by GET. Gives an empty request beside a problem. */
export function readGetHead(
  headers: IncomingHttpHeaders,
  query: string,
): { readonly head: ReadHead; readonly request: GetRequest } {
  const head = readConnectHead(headers, 'content-encoding');
  try {
    const request = readGet(query);
    return { head: { ...head, ...readCoding(request.compression) }, request };
  } catch (thrown) {
    const problem = { code: Code.INVALID_ARGUMENT, message: messageOf(thrown) };
    const request = { isJson: true, message: Buffer.alloc(0), compression: undefined };
    return { head: { ...head, problem }, request };
  }
}

function readCoding(name: string | string[] | undefined): Pick<ReadHead, 'coding' | 'problem'> {
  try {
    return { coding: codingOf(name === undefined ? undefined : String(name)) };
  } catch (thrown) {
    return { coding: undefined, problem: { code: Code.UNIMPLEMENTED, message: messageOf(thrown) } };
  }
}
