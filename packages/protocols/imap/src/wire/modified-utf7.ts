const ENCODED = /&([A-Za-z0-9+,]*)-/g;
const OUTSIDE = /[^\x20-\x7e]+/g;

/** A mailbox name on the wire (RFC 3501, section 5.1.3: modified UTF-7). */
export function encodeName(name: string): string {
  return name.replaceAll('&', '&-').replace(OUTSIDE, (text) => {
    const bytes = Buffer.from(text, 'utf16le').swap16();
    return `&${bytes.toString('base64').replaceAll('/', ',').replace(/=+$/, '')}-`;
  });
}

/**
 * The name that bytes on the wire mean. Those that are no modified UTF-7 stand for themselves, as UTF-8: people type
 * names as they are.
 */
export function decodeName(wire: string): string {
  if (/[\x80-\xff]/.test(wire)) return Buffer.from(wire, 'latin1').toString('utf8');
  if (!wire.includes('&')) return wire;
  const name = wire.replace(ENCODED, (_all, encoded: string) => {
    if (encoded === '') return '&';
    const bytes = Buffer.from(encoded.replaceAll(',', '/'), 'base64');
    return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : '\ufffd';
  });
  return encodeName(name) === wire ? name : wire;
}
