import type { IncomingHttpHeaders } from 'node:http';
import { messageOf } from '@backlot/core/plugin';
import { Code } from '../status.js';
import { CONNECT_TIMEOUT } from '../timeout.js';
import { readCoding, type ReadHead } from '../grpc-head.js';
import { readGet, type GetRequest } from './get-request.js';

const VERSION = 'connect-protocol-version';

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
