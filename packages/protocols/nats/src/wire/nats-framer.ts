import { Framer, FramingError } from '@backlot/kit/framing';

const LF = 10;
const CR = 13;
const SPACE = 0x20;
const ZERO = 0x30;
/** The longest name of an operation, `CONNECT`, with the space behind it. */
const NAME_LENGTH = 8;
const FIRST_LETTERS = new Set(Buffer.from('CcHhIiPpSsUu+-'));
/** More digits than the size of a message has that is taken whole. */
const MAX_DIGITS = 9;

/** Where the parts of a message stand in a frame that holds its line and its payload. */
export interface WholeMessage {
  subjectEnd: number;
  /** 0 when there is no reply subject. */
  replyStart: number;
  replyEnd: number;
  payloadStart: number;
  size: number;
}

/** Where the subject of `PUB <subject> ...` begins. */
export const SUBJECT_START = 4;

/**
 * Control lines without their ending. The payload behind a line is asked for with {@link Framer.expectBytes}, save that
 * of a message in the form every client sends it in: {@link whole} says where its parts are, and it comes in one frame.
 *
 * @throws FramingError `malformed` when what begins cannot become an operation, `too_long` for a line beyond the limit
 */
export class NatsFramer extends Framer {
  readonly #maxLine: number;
  readonly #maxPayload: number;
  #searched = 0;
  /** Whether messages may come in one frame: once the client is logged in. */
  takesWhole = false;
  /** Whether the frame just handed over is a whole message. */
  isWhole = false;
  readonly whole: WholeMessage = { subjectEnd: 0, replyStart: 0, replyEnd: 0, payloadStart: 0, size: 0 };

  /**
   * @param maxLine - most bytes of what follows the name of an operation
   * @param maxPayload - most bytes of a payload
   */
  constructor(maxLine: number, maxPayload: number) {
    super();
    this.#maxLine = maxLine + NAME_LENGTH;
    this.#maxPayload = maxPayload;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    this.isWhole = false;
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
    if (this.takesWhole && bytes[at - 1] === CR && this.#readMessage(bytes, start, at - 1)) {
      const length = at + 1 - start + this.whole.size + 2;
      if (end - start < length) {
        this.#searched = at - start;
        return 0;
      }
      this.isWhole = true;
      this.frameLength = length;
      return length;
    }
    this.frameLength = at - start - (at > start && bytes[at - 1] === CR ? 1 : 0);
    return at + 1 - start;
  }

  protected override restart(): void {
    this.#searched = 0;
  }

  /** Reads `PUB <subject> [reply-to] <size>` with one space between the words; anything else is read word by word. */
  #readMessage(bytes: Buffer, start: number, lineEnd: number): boolean {
    if (
      bytes[start] !== 0x50 ||
      bytes[start + 1] !== 0x55 ||
      bytes[start + 2] !== 0x42 ||
      bytes[start + 3] !== SPACE
    ) {
      return false;
    }
    let at = lineEnd - 1;
    let size = 0;
    let weight = 1;
    while (at > start && bytes[at] !== SPACE) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return false;
      size += digit * weight;
      weight *= 10;
      at -= 1;
    }
    const digits = lineEnd - 1 - at;
    if (digits === 0 || digits > MAX_DIGITS || size > this.#maxPayload) return false;
    // Such a line is not what goes to subscribers.
    if (digits > 1 && bytes[at + 1] === ZERO) return false;
    const first = start + SUBJECT_START;
    let space = first;
    while (space < at && isWordByte(bytes[space])) space += 1;
    if (space === first) return false;
    const { whole } = this;
    whole.subjectEnd = space - start;
    whole.replyStart = 0;
    if (space < at) {
      const reply = space + 1;
      let end = reply;
      while (end < at && isWordByte(bytes[end])) end += 1;
      if (bytes[space] !== SPACE || end !== at || end === reply) return false;
      whole.replyStart = reply - start;
      whole.replyEnd = end - start;
    }
    whole.size = size;
    whole.payloadStart = lineEnd + 2 - start;
    return true;
  }
}

/** Neither white space nor a control character. */
function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && byte > SPACE;
}
