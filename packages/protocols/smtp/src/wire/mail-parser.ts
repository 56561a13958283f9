import { Slice, turns } from '@backlot/core/plugin';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

type DataStream = ReturnType<SMTPStream['startDataMode']>;
type Done = Parameters<SMTPStream['_feedDataStream']>[1];

const CRLF = Buffer.from('\r\n');
const DOT_LINE = Buffer.from('\r\n.');
/** Shorter pieces are not worth asking for the time. */
const LARGE = 16 * 1024;
const END = Buffer.from('\r\n.\r\n');

/**
 * Cuts what a client sends into commands and mails, as the library's does, with another reading of mails: only CRLF ends
 * a line, so that a bare line feed in front of a dot neither ends the data nor costs the dot (CVE-2023-51764), and several
 * mails may come in one packet.
 */
export class MailParser extends SMTPStream {
  /** Bytes that may be the beginning of the end. */
  #held: Buffer = CRLF;
  /** How many bytes of what is held are no part of the mail. */
  #skip = 0;
  readonly #slice = new Slice();

  override startDataMode(maxBytes?: number | string | null): DataStream {
    // A dot may end the data at its very beginning: as if a line had ended before.
    this.#held = CRLF;
    this.#skip = CRLF.length;
    return super.startDataMode(maxBytes);
  }

  override continue(): void {
    const goOn = this._continueCallback;
    // Before going on: what follows may hold a mail as well, which waits for its own.
    this._continueCallback = typeof goOn !== 'function';
    if (typeof goOn === 'function') goOn();
  }

  /** Lets others in when the pieces of a long mail, of which many may come in one turn, have taken a slice of time. */
  override _feedDataStream(chunk: Buffer, done: Done): void {
    if (chunk.length < LARGE || !this.#slice.isOver) return this.#feed(chunk, done);
    turns.wait(() => {
      this.#slice.restart();
      if (this.isClosed) done();
      else this.#feed(chunk, done);
    });
  }

  #feed(chunk: Buffer, done: Done): void {
    const data = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const parts: Buffer[] = [];
    let from = this.#skip;
    let searched = 0;
    for (;;) {
      const line = data.indexOf(DOT_LINE, searched);
      if (line < 0) break;
      const dot = line + CRLF.length;
      if (data.length < line + END.length) {
        // Not enough to tell, unless what there is rules the end out.
        if (END.subarray(0, data.length - line).equals(data.subarray(line))) break;
      } else if (data[dot + 1] === 13 && data[dot + 2] === 10) {
        parts.push(data.subarray(from, dot));
        this.#held = CRLF;
        const rest = this.#count(parts);
        this._endDataMode(rest, data.subarray(dot + 3), done);
        return;
      }
      // RFC 5321, 4.5.2: the first dot of a line that holds more is not part of the mail.
      parts.push(data.subarray(from, dot));
      from = dot + 1;
      searched = from;
    }
    const end = data.length - heldAtEnd(data, searched);
    if (end < from) {
      this.#held = data;
      done();
      return;
    }
    parts.push(data.subarray(from, end));
    this.#held = Buffer.from(data.subarray(end));
    this.#skip = 0;
    this.#write(this.#count(parts), done);
  }

  #count(parts: readonly Buffer[]): Buffer {
    const [first = CRLF] = parts;
    const bytes = parts.length === 1 ? first : Buffer.concat(parts);
    this._countDataBytes(bytes.length);
    return bytes;
  }

  #write(bytes: Buffer, done: Done): void {
    const stream = this._dataStream;
    if (stream === null || !stream.writable || bytes.length === 0 || stream.write(bytes)) {
      done();
      return;
    }
    const goOn = (): void => {
      stream.off('drain', goOn).off('close', goOn);
      done();
    };
    stream.on('drain', goOn).on('close', goOn);
  }
}

/** How many bytes at the end may become the end of the data with what comes next. */
function heldAtEnd(data: Buffer, searched: number): number {
  for (let length = Math.min(END.length - 1, data.length - searched); length > 0; length -= 1) {
    if (END.subarray(0, length).equals(data.subarray(data.length - length))) return length;
  }
  return 0;
}
