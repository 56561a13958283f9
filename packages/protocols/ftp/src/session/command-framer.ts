import { LineFramer } from '@backlot/kit/framing';

/** The longest line that is taken, in bytes. */
export const MAX_LINE = 4096;

const ABORT = /^(?:[\xf0-\xff])*ABOR\r$/i;
/** Longer than any way to write ABOR. */
const SHORT = 16;

/**
 * Cuts commands. Clients send ABOR as TCP urgent data (RFC 959, section 4.1.3), whose last byte, the LF, does not come
 * with the others: `ABOR` and a CR are taken for the whole line.
 */
export class CommandFramer extends LineFramer {
  constructor() {
    super({ maxLength: MAX_LINE });
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    const used = super.measure(bytes, start, end);
    if (used > 0 || end - start > SHORT || !ABORT.test(bytes.toString('latin1', start, end))) return used;
    this.frameOffset = 0;
    this.frameLength = end - start - 1;
    return end - start;
  }
}
