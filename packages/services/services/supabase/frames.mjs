/** A message with bytes that a client broadcasts (version 2 of the serializer). */
const BROADCAST_PUSH = 3;
const IN_JSON = 1;

/** A message of a client: a list, an object in version 1, or bytes. `undefined` for what is none. */
export function readFrame({ body, raw_body: raw }) {
  // Bytes that happen to be text come as a text.
  if (raw instanceof Uint8Array || raw?.charCodeAt(0) === BROADCAST_PUSH) return readBytes(Buffer.from(raw));
  if (typeof body !== 'object' || body === null) return undefined;
  const [joinRef, ref, topic, event, payload] = Array.isArray(body)
    ? body
    : [body.join_ref ?? null, body.ref ?? null, body.topic, body.event, body.payload];
  if (typeof topic !== 'string' || typeof event !== 'string') return undefined;
  return { joinRef, ref, topic, event, payload };
}

/** The kind, the lengths of join_ref, ref, topic, event and metadata, how the payload is written, and then all of them. */
function readBytes(bytes) {
  // Bytes that are text all the same.
  if (bytes[0] === 0x5b || bytes[0] === 0x7b) return readText(bytes);
  if (bytes.length < 7 || bytes[0] !== BROADCAST_PUSH) return undefined;
  const [joinSize, refSize, topicSize, eventSize, metaSize, encoding] = bytes.subarray(1, 7);
  let at = 7;
  const take = (size) => bytes.toString('utf8', at, (at += size));
  const [joinRef, ref, topic, event] = [take(joinSize), take(refSize), take(topicSize), take(eventSize)];
  take(metaSize);
  const rest = bytes.subarray(at);
  const payload = encoding === IN_JSON ? parse(rest.toString()) : { base64: rest.toString('base64') };
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    event: 'broadcast',
    payload: { type: 'broadcast', event, payload },
  };
}

function readText(bytes) {
  const body = parse(bytes.toString());
  return body === undefined ? undefined : readFrame({ body });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A message for a client, in its version of the serializer. */
export function writeFrame(vsn, { joinRef, ref, topic, event, payload }) {
  return String(vsn ?? '1.0.0').startsWith('2')
    ? JSON.stringify([joinRef, ref, topic, event, payload])
    : JSON.stringify({ join_ref: joinRef, ref, topic, event, payload });
}
