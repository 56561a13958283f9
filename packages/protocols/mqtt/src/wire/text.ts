import { isUtf8 } from 'node:buffer';
import type { ByteReader } from '@backlot/kit/framing';
import { ProtocolError, REASON } from './protocol-error.js';

/** Reads a text: two bytes of length and well-formed UTF-8 without U+0000 (MQTT 5, section 1.5.4). */
export function readText(reader: ByteReader, what: string): string {
  const bytes = reader.bytes(reader.u16());
  if (!isUtf8(bytes)) throw new ProtocolError(REASON.MALFORMED, `the ${what} is not UTF-8`);
  const text = bytes.toString('utf8');
  if (text.includes('\0')) throw new ProtocolError(REASON.MALFORMED, `the ${what} holds U+0000`);
  return text;
}

/** Reads bytes with two bytes of length in front (MQTT 5, section 1.5.6). */
export function readBinary(reader: ByteReader): Buffer {
  return reader.bytes(reader.u16());
}
