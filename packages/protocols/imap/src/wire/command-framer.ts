import { FramingError, LineFramer } from '@backlot/kit/framing';

/** The longest line; also all that a client may send in one command before it has logged in. */
export const MAX_LINE = 64 * 1024;

/** Lines of commands. What begins with a byte that no line of IMAP begins with, such as a TLS handshake, is refused at once. */
export class CommandFramer extends LineFramer {
  constructor() {
    super({ maxLength: MAX_LINE });
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    const first = bytes[start] ?? 0;
    const isText = (first >= 0x20 && first < 0x7f) || first === 0x0a || first === 0x0d;
    if (!isText) throw new FramingError('malformed', 'this is no IMAP');
    return super.measure(bytes, start, end);
  }
}
