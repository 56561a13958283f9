import { FramingError } from '@backlot/kit/framing';
import type { AnswerScanner } from '@backlot/kit/upstream';

const LF = 10;
/** No length has more digits. */
const MAX_DIGITS = 20;
const SIMPLE = '+-:,#_(';
const BULK = '$=!';
const AGGREGATES = '*~%>|';

/** Tells where answers of RESP2 and RESP3 end, without keeping them. */
export class RespScanner implements AnswerScanner {
  /** Values that the answer still has, itself included; 0 between answers. */
  #left = 0;
  /** The kind of the value whose line is being read; empty between values. */
  #type = '';
  #digits = '';
  /** Bytes of a bulk that are still to come, with its line end. */
  #skip = 0;
  #isUnasked = false;

  get isUnasked(): boolean {
    return this.#isUnasked;
  }

  scan(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
        if (this.#skip === 0 && this.#ended()) return at;
        continue;
      }
      if (this.#type === '') {
        this.#begin(String.fromCharCode(chunk[at] ?? 0));
        at += 1;
      }
      const end = chunk.indexOf(LF, at);
      if (!SIMPLE.includes(this.#type))
        this.#digits += chunk.toString('latin1', at, end < 0 ? undefined : end);
      if (this.#digits.length > MAX_DIGITS) throw malformed(`the length ${JSON.stringify(this.#digits)}`);
      if (end < 0) return -1;
      at = end + 1;
      if (this.#endLine() && this.#ended()) return at;
    }
    return -1;
  }

  #begin(type: string): void {
    if (!SIMPLE.includes(type) && !BULK.includes(type) && !AGGREGATES.includes(type))
      throw malformed(`an answer that begins with ${JSON.stringify(type)}`);
    if (this.#left === 0) {
      this.#left = 1;
      this.#isUnasked = type === '>';
    }
    this.#type = type;
    this.#digits = '';
  }

  /** A line is over. @returns whether the value is as well */
  #endLine(): boolean {
    const type = this.#type;
    if (SIMPLE.includes(type)) return true;
    const text = this.#digits.trim();
    const length = Number(text);
    if (text === '' || !Number.isSafeInteger(length)) throw malformed(`the length ${JSON.stringify(text)}`);
    if (BULK.includes(type)) {
      if (length < 0) return true;
      this.#skip = length + 2;
      return false;
    }
    if (length > 0) this.#left += type === '%' || type === '|' ? 2 * length : length;
    // Attributes stand before the value that they are of.
    if (type === '|') this.#left += 1;
    return true;
  }

  /** A value is over. @returns whether the answer is */
  #ended(): boolean {
    this.#type = '';
    this.#left -= 1;
    return this.#left === 0;
  }
}

function malformed(what: string): FramingError {
  return new FramingError('malformed', `the upstream has sent ${what}, which is not RESP`);
}
