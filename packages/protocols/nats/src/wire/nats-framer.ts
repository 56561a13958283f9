import { Framer, FramingError } from '@backlot/kit';

const LF = 10;
const CR = 13;
/** The longest name of an operation, `CONNECT`, with the space behind it. */
const NAME_LENGTH = 8;
const FIRST_LETTERS = new Set(Buffer.from('CcHhIiPpSsUu+-'));

/**
 * Control lines without their ending. The payload behind a line is asked for with {@link Framer.expectBytes}.
 *
 * @throws FramingError `malformed` when what begins cannot become an operation, `too_long` for a line beyond the limit
 */
export class NatsFramer extends Framer {
  readonly #maxLine: number;
  #searched = 0;

  /** @param maxLine - most bytes of what follows the name of an operation */
  constructor(maxLine: number) {
    super();
    this.#maxLine = maxLine + NAME_LENGTH;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    // What no operation begins with never becomes one: waiting for the end of its line would hide the mistake.
    if (!FIRST_LETTERS.has(bytes[start] ?? 0)) {
      throw new FramingError('malformed', 'no operation begins like this');
    }
    let at = start + this.#searched;
    // Lines are short: a loop is quicker than a call.
    while (at < end && bytes[at] !== LF) at += 1;
    if (at - start > this.#maxLine) {
      throw new FramingError('too_long', `a control line has more than ${this.#maxLine} bytes`);
    }
    if (at === end) {
      this.#searched = end - start;
      return 0;
    }
    this.frameOffset = 0;
    this.frameLength = at - start - (at > start && bytes[at - 1] === CR ? 1 : 0);
    return at + 1 - start;
  }

  protected override restart(): void {
    this.#searched = 0;
  }
}
