import { Framer, FramingError } from '@backlot/kit/framing';
import { PACKET } from './packet-type.js';

/** Most bytes of the first packet, before anybody has shown who they are. */
const MAX_CONNECT = 64 * 1024;
/** Most bytes of any later packet, where the configuration says no less; MQTT 5 clients are told. */
export const MAX_PACKET = 10 * 1024 * 1024;

const LENGTH_BYTES = 4;
const CONNECT_HEADER = PACKET.CONNECT << 4;

/** Cuts a stream into whole control packets, fixed header included (MQTT 5, section 2.1). */
export class PacketFramer extends Framer {
  #limit: number;
  #mustConnect: boolean;

  /** @param begins - whether the first packet has to be a CONNECT */
  constructor(begins: 'with-connect' | 'anywhere') {
    super();
    this.#mustConnect = begins === 'with-connect';
    this.#limit = this.#mustConnect ? MAX_CONNECT : Infinity;
  }

  /** The CONNECT has been read: later packets have this many bytes at most. */
  allowLargePackets(limit: number): void {
    this.#mustConnect = false;
    this.#limit = limit;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    if (this.#mustConnect && bytes[start] !== CONNECT_HEADER) {
      throw new FramingError('malformed', `the first byte is ${bytes[start] ?? 0}; want that of a CONNECT`);
    }
    let length = 0;
    for (let index = 0; index < LENGTH_BYTES; index += 1) {
      const byte = bytes[start + 1 + index];
      if (byte === undefined || start + 1 + index >= end) return 0;
      length += (byte & 0x7f) * 128 ** index;
      if (byte >= 0x80) continue;
      const total = 2 + index + length;
      if (total > this.#limit) {
        throw new FramingError('too_long', `a packet of ${total} bytes; at most ${this.#limit} are taken`);
      }
      if (end - start < total) return 0;
      this.frameOffset = 0;
      this.frameLength = total;
      return total;
    }
    throw new FramingError('malformed', 'a remaining length of more than four bytes');
  }
}
