import { writeField } from './protobuf.mjs';

/** An export that is refused: the status of HTTP, and code and message of `google.rpc.Status`. */
export class OtlpError extends Error {
  constructor(status, code, message, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const isProtobuf = ({ headers }) =>
  /^application\/x-protobuf\b/i.test(String(headers['content-type'] ?? ''));

/** A refusal in the encoding of the request, as OTLP wants it. */
export function refusal(request, { status, code, message, headers }) {
  if (!isProtobuf(request)) return { status, headers, json: { code, message } };
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/x-protobuf' },
    body_base64: Buffer.concat([writeField(1, code), writeField(2, message)]).toString('base64'),
  };
}

const REJECTED = { traces: 'rejectedSpans', metrics: 'rejectedDataPoints', logs: 'rejectedLogRecords' };

/** The answer to an export that was taken, all of it or in parts. */
export function taken(request, signal, rejected, message) {
  if (!isProtobuf(request))
    return {
      json:
        rejected === 0
          ? {}
          : { partialSuccess: { [REJECTED[signal]]: String(rejected), errorMessage: message } },
    };
  const partial =
    rejected === 0
      ? Buffer.alloc(0)
      : writeField(1, Buffer.concat([writeField(1, rejected), writeField(2, message)]));
  return { headers: { 'Content-Type': 'application/x-protobuf' }, body_base64: partial.toString('base64') };
}
