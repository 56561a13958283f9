const NOT_ASCII = /[\u0080-\u00ff]/;

/** A text as it goes over the wire: one character per byte of its UTF-8 form. */
export function toWire(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Texts up to this length are looked through by hand, which is quicker. */
const SHORT = 32;

/** The text of bytes in the form of the wire, read as UTF-8. */
export function fromWire(wire: string): string {
  if (wire.length <= SHORT) {
    let at = 0;
    while (at < wire.length && wire.charCodeAt(at) < 0x80) at += 1;
    if (at === wire.length) return wire;
  }
  return NOT_ASCII.test(wire) ? Buffer.from(wire, 'latin1').toString('utf8') : wire;
}

/** The same for a body: bytes where there is more than ASCII, so that what is no text is kept as it is. */
export function bodyFromWire(wire: string): string | Buffer {
  return NOT_ASCII.test(wire) ? Buffer.from(wire, 'latin1') : wire;
}

/** The same characters in memory of their own: neither a part of a longer text nor a chain of parts. */
export function flatten(wire: string): string {
  return Buffer.from(wire, 'latin1').toString('latin1');
}
