import { FramingError } from '@backlot/kit/framing';
import type { AnswerScanner } from '@backlot/kit/upstream';

const LF = 10;
/** No line of an answer is longer. */
const MAX_LINE = 64 * 1024;
/** What begins a line that others follow, up to one that is `END`. */
const LISTED = /^(?:VALUE |STAT |ITEM |PREFIX |key=)/;
/** A line behind which data stand, with the length of them. */
const WITH_DATA = /^(?:VALUE \S+ \d+|VA) (\d{1,10})\b/;

/** Tells where answers of the text protocol end, those of meta commands included. */
export class TextScanner implements AnswerScanner {
  readonly isUnasked = false;
  #line = '';
  #isInList = false;
  /** Bytes of data that are still to come, with their line end. */
  #skip = 0;
  /** Whether the answer is over with these data. */
  #endsWithData = false;

  scan(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
        if (this.#skip === 0 && this.#endsWithData) return at;
        continue;
      }
      const end = chunk.indexOf(LF, at);
      this.#line += chunk.toString('latin1', at, end < 0 ? undefined : end);
      if (this.#line.length > MAX_LINE)
        throw new FramingError('too_long', 'the upstream has sent a line of more than 64 KiB');
      if (end < 0) return -1;
      at = end + 1;
      if (this.#endLine()) return at;
    }
    return -1;
  }

  /** A line is over. @returns whether the answer is as well */
  #endLine(): boolean {
    const line = this.#line.trimEnd();
    this.#line = '';
    const [, size] = WITH_DATA.exec(line) ?? [];
    if (size !== undefined) {
      this.#skip = Number(size) + 2;
      this.#endsWithData = line.startsWith('VA ');
      this.#isInList = !this.#endsWithData;
      return false;
    }
    if (LISTED.test(line)) {
      this.#isInList = true;
      return false;
    }
    if (this.#isInList && line !== 'END' && !/^(?:SERVER_|CLIENT_)?ERROR\b/.test(line)) return false;
    this.#isInList = false;
    return true;
  }
}
