/** A message of Phoenix channels. */
export interface PhoenixFrame {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: unknown;
}

/** The kinds of messages with bytes (version 2 of the serializer). */
const PUSH = 0;
const REPLY = 1;

/** A push of bytes: the lengths of join_ref, ref, topic and event, these texts, and then the bytes. */
export function readBinary(bytes: Buffer): PhoenixFrame | undefined {
  if (bytes.length < 5 || bytes[0] !== PUSH) return undefined;
  const sizes = [...bytes.subarray(1, 5)];
  const texts: string[] = [];
  let at = 5;
  for (const size of sizes) {
    if (at + size > bytes.length) return undefined;
    texts.push(bytes.toString('utf8', at, at + size));
    at += size;
  }
  const [joinRef = '', ref = '', topic = '', event = ''] = texts;
  return { joinRef: joinRef || null, ref: ref || null, topic, event, payload: bytes.subarray(at) };
}

/** Bytes that a client is pushed. @throws RangeError for names of more than 255 bytes */
export function writeBinaryPush({ joinRef, topic, event }: PhoenixFrame, payload: Uint8Array): Buffer {
  return write(PUSH, [joinRef ?? '', topic, event], payload);
}

/** Bytes that a message is answered with. @throws RangeError for names of more than 255 bytes */
export function writeBinaryReply(
  { joinRef, ref, topic }: PhoenixFrame,
  status: string,
  response: Uint8Array,
): Buffer {
  return write(REPLY, [joinRef ?? '', ref ?? '', topic, status], response);
}

function write(kind: number, texts: readonly string[], payload: Uint8Array): Buffer {
  const encoded = texts.map((text) => Buffer.from(text));
  const long = encoded.find((text) => text.length > 255);
  if (long !== undefined)
    throw new RangeError(`${long.length} bytes do not fit the length of a name, which takes 255`);
  return Buffer.concat([Buffer.of(kind, ...encoded.map((text) => text.length)), ...encoded, payload]);
}
