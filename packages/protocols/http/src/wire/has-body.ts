import type { Incoming } from './outgoing.js';
import { http2StreamOf } from './outgoing.js';

/** Whether a request has a body to wait for. */
export function hasBody(request: Incoming): boolean {
  const stream = http2StreamOf(request);
  if (stream !== undefined) return !stream.endAfterHeaders;
  const { headers } = request;
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}
