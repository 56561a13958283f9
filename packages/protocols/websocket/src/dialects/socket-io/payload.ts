import { parseBase64 } from '@backlot/core/plugin';
import { DialectError, type Packet } from '../dialect.js';

const SEPARATOR = '\u001E';
const BYTES = 'b';
/** Most packets in one request. */
const MAX_PACKETS = 10_000;

/** The packets of a request of long polling; bytes are base64 behind a `b`. @throws DialectError */
export function readPayload(body: string): readonly Packet[] {
  const packets = body.split(SEPARATOR, MAX_PACKETS + 1);
  if (packets.length > MAX_PACKETS)
    throw new DialectError(`a request holds more than ${MAX_PACKETS} packets`);
  return packets.map((packet) => (packet.startsWith(BYTES) ? bytesIn(packet) : packet));
}

/** The body of an answer of long polling. */
export function writePayload(packets: readonly Packet[]): string {
  return packets
    .map((packet) => (typeof packet === 'string' ? packet : BYTES + packet.toString('base64')))
    .join(SEPARATOR);
}

function bytesIn(packet: string): Buffer {
  try {
    return parseBase64(packet.slice(BYTES.length));
  } catch {
    throw new DialectError('a packet of bytes is no base64');
  }
}
