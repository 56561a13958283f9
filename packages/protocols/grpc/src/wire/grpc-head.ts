import type { IncomingHttpHeaders } from 'node:http';
import { messageOf } from '@backlot/core/plugin';
import { codingOf, type Coding } from './compression.js';
import { Code } from './status.js';
import { readTimeout, TIMEOUT } from './timeout.js';

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

/** Of a call that has no deadline and compresses nothing. */
const PLAIN: ReadHead = { deadline: undefined, coding: undefined };

/** Reads the headers of a call of gRPC, or of gRPC-Web. */
export function readGrpcHead(headers: IncomingHttpHeaders): ReadHead {
  const { [TIMEOUT]: timeout, 'grpc-encoding': encoding } = headers;
  if (timeout === undefined && encoding === undefined) return PLAIN;
  const deadline = typeof timeout === 'string' ? readTimeout(timeout) : undefined;
  if (timeout !== undefined && deadline === undefined) {
    const message = `Invalid ${TIMEOUT} value ${JSON.stringify(timeout)}`;
    return { problem: { code: Code.INTERNAL, message }, deadline, coding: undefined };
  }
  return { deadline, ...readCoding(encoding) };
}

/** Reads the name of a compression. */
export function readCoding(name: string | string[] | undefined): Pick<ReadHead, 'coding' | 'problem'> {
  try {
    return { coding: codingOf(name === undefined ? undefined : String(name)) };
  } catch (thrown) {
    return { coding: undefined, problem: { code: Code.UNIMPLEMENTED, message: messageOf(thrown) } };
  }
}
