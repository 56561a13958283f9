const CR = 13;
const LF = 10;

/** Text as TYPE A sends it: every line ends in CR LF (RFC 959, section 3.1.1.1). */
export function toAscii(bytes: Uint8Array): Uint8Array {
  let bare = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) bare += 1;
  }
  if (bare === 0) return bytes;
  const text = Buffer.alloc(bytes.length + bare);
  let to = 0;
  for (const [from, byte] of bytes.entries()) {
    if (byte === LF && bytes[from - 1] !== CR) text[to++] = CR;
    text[to++] = byte;
  }
  return text;
}

/** What TYPE A has brought, with the line ends of this side: a LF alone. */
export function fromAscii(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(CR)) return bytes;
  return bytes.filter((byte, at) => byte !== CR || bytes[at + 1] !== LF);
}
