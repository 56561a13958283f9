import type { Message, Reply } from '../contract/message.js';
import type { CapturedGroups } from '../patterns/captures.js';
import { MAX_BODY_BYTES } from './entry.js';
import { KeptBytes } from './kept-bytes.js';

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
  return body.length > MAX_BODY_BYTES ? cut(body) : ownPart(body, body.buffer.byteLength);
}

function cut(body: Uint8Array): Uint8Array {
  return markCut(Buffer.from(body.subarray(0, MAX_BODY_BYTES)));
}

/** @param whole - how much memory the bytes are a part of */
function ownPart(body: Uint8Array, whole: number): Uint8Array {
  return whole > 2 * body.length + 16_384 ? Buffer.from(body) : body;
}

function markCut(bytes: Uint8Array): Uint8Array {
  return Object.assign(bytes, { isCut: true });
}

/** CapturedGroups as the journal keeps them of a large message: the first 1,024 characters of each, which hold on to no larger text. */
export function retainCaptures(captures: CapturedGroups): CapturedGroups {
  return Object.fromEntries(
    Object.entries(captures).map(([name, value]) => [
      name,
      Buffer.from(value.slice(0, MAX_WHOLE_BODY)).toString(),
    ]),
  );
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

const kept = new KeptBytes();
/** The size of the pool that small buffers are cut from. */
const POOL = Buffer.poolSize;

/** The mark of bytes that are no part of anything larger. */
const OWN: unique symbol = Symbol('bytes with memory of their own');

interface MaybeOwn extends Uint8Array {
  readonly [OWN]?: boolean;
}

/**
 * Bytes that stay for as long as their mock does: they hold no pool of Node.js, and are marked, so that nobody need ask for
 * their memory, which takes longer than the rest of what is done with a reply.
 */
export function ownMemory(bytes: Buffer): Buffer {
  let own = bytes;
  if (bytes.buffer.byteLength !== bytes.length) {
    own = Buffer.allocUnsafeSlow(bytes.length);
    own.set(bytes);
  }
  return Object.defineProperty(own, OWN, { value: true });
}

/**
 * The reply as the journal keeps it. A small body that was made for this reply is a piece of the pool of Node.js, all of
 * which it would hold; what is sent again and again has memory of its own and stays as it is.
 */
export function retainReply(reply: Reply): Reply {
  const { body } = reply;
  const own = typeof body === 'object' ? retainBytes(body) : retainBody(body);
  return own === body ? reply : { ...reply, ...(own === undefined ? {} : { body: own }) };
}

function retainBytes(body: MaybeOwn): Uint8Array {
  if (body.length > MAX_BODY_BYTES) return cut(body);
  if (body[OWN] === true) return body;
  const whole = body.buffer.byteLength;
  return whole === POOL && 2 * body.length < POOL ? kept.copy(body) : ownPart(body, whole);
}

/** The length of the body of a message, which is not made for it. */
export function bodyLengthOf(message: Message): number {
  return message.bodyLength ?? message.body?.length ?? 0;
}

/** What a record costs in memory, in bytes, roughly. */
export function recordBytes(message: Message, reply: Reply | undefined): number {
  const bodyLength = bodyLengthOf(message);
  const isWhole = bodyLength <= MAX_WHOLE_BODY;
  const held = message.path.length + (message.size ?? 0) + bodyLength;
  return RECORD_BYTES + held * (isWhole ? DECODED_FACTOR : 1) + (reply?.size ?? reply?.body?.length ?? 0);
}
