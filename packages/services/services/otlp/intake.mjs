import { isProtobuf, OtlpError, refusal, taken } from '../../otlp/answers.mjs';
import { ProtobufError, readMessage } from '../../otlp/protobuf.mjs';
import { rowsIn, SIGNALS } from '../../otlp/rows.mjs';
import { REQUESTS } from '../../otlp/tables.mjs';

/** Takes an export: what cannot be read is refused as a whole, as by a collector. @param spare - how many items are rejected */
function take(request, context, signal, spare = 0) {
  try {
    const rows = rowsIn(readRequest(request, signal), SIGNALS[signal]);
    const kept = rows.slice(0, Math.max(0, rows.length - spare));
    const { count, message } = keep(context.collection(`otlp:${SIGNALS[signal].collection}`), kept);
    const rejected = rows.length - count;
    return taken(request, signal, rejected, message ?? 'the last one was rejected');
  } catch (error) {
    if (error instanceof ProtobufError) return refusal(request, new OtlpError(400, 3, error.message));
    if (error instanceof OtlpError) return refusal(request, error);
    throw error;
  }
}

/** Keeps rows as long as there is room. */
function keep(collection, rows) {
  for (const [index, row] of rows.entries()) {
    try {
      collection.create(row);
    } catch (error) {
      if (error?.code !== 'too_large') throw error;
      return { count: index, message: error.message };
    }
  }
  return { count: rows.length };
}

function readRequest(request, signal) {
  const { body, raw_body: raw = '', headers } = request;
  if (isProtobuf(request)) return readMessage(Buffer.from(raw), REQUESTS[signal]);
  const type = String(headers['content-type'] ?? '');
  if (!/^application\/json\b/i.test(type))
    throw new OtlpError(
      415,
      3,
      `the content type must be application/x-protobuf or application/json, got "${type}"`,
    );
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new OtlpError(400, 3, 'the body must be an object of JSON');
  return body;
}

export const takeTraces = (request, context) => take(request, context, 'traces');
export const takeMetrics = (request, context) => take(request, context, 'metrics');
export const takeLogs = (request, context) => take(request, context, 'logs');
/** Rejects the last item of an export. */
export const takeAllButOne = (request, context) => take(request, context, request.params.signal, 1);
