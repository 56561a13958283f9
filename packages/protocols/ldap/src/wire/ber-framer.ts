import { Framer, FramingError } from '@backlot/kit/framing';
import { checkStructure } from './structure.js';
import { TAG } from './tags.js';

/** Most bytes of one message. */
const MAX_MESSAGE = 1024 * 1024;

/**
 * Cuts a connection into LDAP messages: SEQUENCEs of definite length (RFC 4511, section 5.1). What is handed over is whole
 * and sound to its innermost element, so that no decoder behind can be led astray by lengths that lie.
 */
export class BerFramer extends Framer {
  protected override measure(bytes: Buffer, start: number, end: number): number {
    const tag = bytes[start];
    if (tag !== TAG.sequence) {
      throw new FramingError('malformed', `a message begins with 0x30, got 0x${tag?.toString(16) ?? ''}`);
    }
    if (end - start < 2) return 0;
    const first = bytes[start + 1] ?? 0;
    let header = 2;
    let length = first;
    if (first >= 0x80) {
      const size = first & 0x7f;
      if (size === 0 || size > 4) {
        throw new FramingError('malformed', `a length of ${size} bytes; 1 to 4 are taken`);
      }
      if (end - start < 2 + size) return 0;
      length = bytes.readUIntBE(start + 2, size);
      header += size;
    }
    if (header + length > MAX_MESSAGE) {
      throw new FramingError(
        'too_long',
        `a message says it has ${length} bytes; at most ${MAX_MESSAGE} are taken`,
      );
    }
    const whole = header + length;
    if (end - start < whole) return 0;
    checkStructure(bytes, start + header, start + whole);
    this.frameOffset = header;
    this.frameLength = length;
    return whole;
  }
}
