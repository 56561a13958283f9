import type { Message, Reply } from '../contract/message.js';
import { MAX_BODY_BYTES } from './entry.js';

/** What one record costs beside its texts and bodies, in bytes, roughly. */
const RECORD_BYTES = 400;
/** A message that is kept whole holds what its protocol decoded as well. */
const DECODED_FACTOR = 4;
/** Messages with larger bodies are kept without what the protocol decoded. */
export const MAX_WHOLE_BODY = 1024;

/** The part of a body that the journal shows, without holding on to a larger buffer that it is a part of. */
export function retainBody(body: string | Uint8Array | undefined): string | Uint8Array | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') {
    // Through bytes: a slice of a text keeps the whole text in memory.
    return body.length <= MAX_BODY_BYTES ? body : markCut(Buffer.from(body.slice(0, MAX_BODY_BYTES)));
  }
  if (body.length > MAX_BODY_BYTES) return markCut(Buffer.from(body.subarray(0, MAX_BODY_BYTES)));
  const isPartOfMore = body.buffer.byteLength > 2 * body.length + 16_384;
  return isPartOfMore ? Buffer.from(body) : body;
}

function markCut(bytes: Uint8Array): Uint8Array {
  return Object.assign(bytes, { isCut: true });
}

/** The message as the journal keeps it: the common fields, without what its protocol decoded. */
export function retainMessage(message: Message): Message {
  const body = retainBody(message.body);
  return {
    method: message.method,
    path: message.path.length > MAX_BODY_BYTES ? message.path.slice(0, MAX_BODY_BYTES) : message.path,
    remote: message.remote,
    ...(message.headers === undefined ? {} : { headers: message.headers }),
    ...(message.query === undefined ? {} : { query: message.query }),
    ...(body === undefined ? {} : { body }),
    ...(message.size === undefined ? {} : { size: message.size }),
  };
}

/** The reply as the journal keeps it. */
export function retainReply(reply: Reply): Reply {
  const body = retainBody(reply.body);
  return body === reply.body ? reply : { ...reply, ...(body === undefined ? {} : { body }) };
}

/** What a record costs in memory, in bytes, roughly. */
export function recordBytes(message: Message, reply: Reply | undefined, isWhole: boolean): number {
  const held = message.path.length + (message.size ?? 0) + (message.body?.length ?? 0);
  return RECORD_BYTES + held * (isWhole ? DECODED_FACTOR : 1) + (reply?.size ?? reply?.body?.length ?? 0);
}
