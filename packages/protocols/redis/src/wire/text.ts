// Inside this package what came from the wire is a text with one character per byte (latin1): it is quick to cut out,
// to keep as a key of a Map and to send, and any bytes survive. People see UTF-8.
const BEYOND_ASCII = /[\x80-\uffff]/;

/** Texts up to this length are looked through by hand, which is quicker. */
const SHORT = 32;

/** The UTF-8 text of bytes in the form of the wire. */
export function fromWire(bytes: string): string {
  if (bytes.length <= SHORT) {
    let at = 0;
    while (at < bytes.length && bytes.charCodeAt(at) < 0x80) at += 1;
    if (at === bytes.length) return bytes;
  }
  return BEYOND_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}

/** The bytes of a text, in the form of the wire. */
export function toWire(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** A text for an answer of one line: it cannot hold a line end. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}
