const CR = 13;
const LF = 10;
const STEP = 256 * 1024;

/**
 * Text as TYPE A sends it: every line ends in CR LF (RFC 959, section 3.1.1.1). Yields now and then, see `runInSlices`.
 */
export function* toAscii(bytes: Uint8Array): Generator<undefined, Uint8Array> {
  let bare = 0;
  for (let from = 0; from < bytes.length; from += STEP) {
    const to = Math.min(from + STEP, bytes.length);
    for (let at = from; at < to; at += 1) if (bytes[at] === LF && bytes[at - 1] !== CR) bare += 1;
    yield;
  }
  if (bare === 0) return bytes;
  const text = Buffer.alloc(bytes.length + bare);
  let length = 0;
  for (let from = 0; from < bytes.length; from += STEP) {
    const to = Math.min(from + STEP, bytes.length);
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === LF && bytes[at - 1] !== CR) text[length++] = CR;
      text[length++] = byte;
    }
    yield;
  }
  return text;
}

/** What TYPE A has brought, with the line ends of this side: a LF alone. Yields now and then, see `runInSlices`. */
export function* fromAscii(bytes: Uint8Array): Generator<undefined, Uint8Array> {
  if (!bytes.includes(CR)) return bytes;
  const text = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let from = 0; from < bytes.length; from += STEP) {
    const to = Math.min(from + STEP, bytes.length);
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte !== CR || bytes[at + 1] !== LF) text[length++] = byte;
    }
    yield;
  }
  return text.subarray(0, length);
}
