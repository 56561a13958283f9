import { Framer, FramingError } from '@backlot/kit/framing';
import { FRAME, FRAME_END, FRAME_OVERHEAD, FRAME_START, PROTOCOL_HEADER } from './frame-types.js';

/** Most bytes of a payload while nobody has logged in. */
const FIRST_MAX_PAYLOAD = 32 * 1024;

/** Cuts a stream into the protocol header, which is handed over first, and then the payloads of frames. */
export class FrameFramer extends Framer {
  /** Most bytes of a payload. */
  maxPayload = FIRST_MAX_PAYLOAD;
  #isGreeted = false;
  /** Of the frame whose payload was just handed over. */
  type = 0;
  channel = 0;

  /** Whether the protocol header has come. */
  get isGreeted(): boolean {
    return this.#isGreeted;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    if (!this.#isGreeted) return this.#measureHeader(bytes, start, end);
    if (end - start < FRAME_START) return 0;
    const type = bytes[start];
    if (type !== FRAME.method && type !== FRAME.header && type !== FRAME.body && type !== FRAME.heartbeat) {
      throw new FramingError('malformed', `unknown frame type ${type}`);
    }
    const size = bytes.readUInt32BE(start + 3);
    if (size > this.maxPayload) {
      throw new FramingError(
        'too_long',
        `a frame of type ${type} says it has ${size} octets; at most ${this.maxPayload} were agreed on`,
      );
    }
    const length = size + FRAME_OVERHEAD;
    if (end - start < length) return 0;
    const last = bytes[start + length - 1];
    if (last !== FRAME_END) {
      throw new FramingError('malformed', `a frame of type ${type} ends with octet ${last}, not with 206`);
    }
    this.type = type;
    this.channel = bytes.readUInt16BE(start + 1);
    this.frameOffset = FRAME_START;
    this.frameLength = size;
    return length;
  }

  #measureHeader(bytes: Buffer, start: number, end: number): number {
    const there = Math.min(end - start, PROTOCOL_HEADER.length);
    if (PROTOCOL_HEADER.compare(bytes, start, start + there, 0, there) !== 0) {
      throw new FramingError('malformed', 'the connection does not begin with the header of AMQP 0-9-1');
    }
    if (there < PROTOCOL_HEADER.length) return 0;
    this.#isGreeted = true;
    this.frameOffset = 0;
    this.frameLength = there;
    return there;
  }
}
