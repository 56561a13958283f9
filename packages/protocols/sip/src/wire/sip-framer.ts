import { Framer, FramingError } from '@backlot/kit/framing';
import { MAX_MESSAGE } from './read-message.js';

const CR = 13;
const LF = 10;
const END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\n(?:content-length|l)[ \t]*:[ \t]*(\d{1,10})[ \t]*(?=\r\n|$)/gi;

/**
 * Cuts a connection into messages by their Content-Length (RFC 3261 section 18.3). A frame of two line ends is a
 * keep-alive (RFC 5626 section 3.5.1), an empty one a line end between messages. A message whose length cannot be told
 * is handed over without its body: nothing that follows it can be read.
 */
export class SipFramer extends Framer {
  #searched = 0;

  protected override measure(bytes: Buffer, start: number, end: number): number {
    const first = bytes[start] ?? 0;
    if (first === CR || first === LF) return this.#measureLineEnds(bytes, start, end);
    if (first < 0x21 || first > 0x7e)
      throw new FramingError('malformed', 'a message does not begin with text');
    const at = bytes.subarray(start + this.#searched, end).indexOf(END);
    if (at < 0) {
      if (end - start > MAX_MESSAGE) {
        throw new FramingError('too_long', `the headers of a message have more than ${MAX_MESSAGE} bytes`);
      }
      this.#searched = Math.max(end - start - END.length + 1, 0);
      return 0;
    }
    const head = this.#searched + at + END.length;
    const length = lengthIn(bytes.toString('latin1', start, start + head - END.length));
    const total = head + (length === undefined || head + length > MAX_MESSAGE ? 0 : length);
    if (end - start < total) return 0;
    return this.#cut(total);
  }

  protected override restart(): void {
    this.#searched = 0;
  }

  #measureLineEnds(bytes: Buffer, start: number, end: number): number {
    if (bytes[start] === LF) return this.#cut(1, 0);
    const available = Math.min(end - start, END.length);
    if (END.compare(bytes, start, start + available, 0, available) === 0) {
      return available < END.length ? 0 : this.#cut(END.length);
    }
    return this.#cut(bytes[start + 1] === LF ? 2 : 1, 0);
  }

  #cut(used: number, length = used): number {
    this.frameOffset = 0;
    this.frameLength = length;
    return used;
  }
}

/** `undefined` when there is none, or there are different ones. */
function lengthIn(head: string): number | undefined {
  let length: number | undefined;
  for (const [, digits] of head.matchAll(LENGTH)) {
    const next = Number(digits);
    if (length !== undefined && length !== next) return undefined;
    length = next;
  }
  return length;
}
