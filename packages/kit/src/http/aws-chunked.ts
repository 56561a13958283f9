import { Transform, type TransformCallback } from 'node:stream';

/** A chunk's first line has its length and a signature. */
const MAX_LINE = 8 * 1024;
const LINE_FEED = 0x0a;
const SIZE = /^([0-9a-f]{1,8})(?:;[^\r]*)?\r?$/i;

type State = 'size' | 'data' | 'end of data' | 'trailer' | 'over';

/**
 * Takes the content out of `aws-chunked`, in which the SDKs of AWS send bodies in chunks that are signed or end in a
 * checksum: a line with the length of a chunk in hexadecimal, perhaps with a signature, and the chunk; a chunk of length 0;
 * and trailing fields. Signatures and checksums are not verified.
 */
export class AwsChunkedDecoder extends Transform {
  #state: State = 'size';
  #line = '';
  #left = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const parts: Buffer[] = [];
    try {
      for (let at = 0; at < chunk.length;) at = this.#take(chunk, at, parts);
    } catch (thrown) {
      done(thrown as Error);
      return;
    }
    done(null, parts.length === 0 ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts));
  }

  override _flush(done: TransformCallback): void {
    const isWhole = this.#state === 'over' || this.#state === 'trailer';
    done(isWhole ? null : new Error('it ends before its last chunk, which has the length 0'));
  }

  /** Takes what stands at a place, and says where to go on. */
  #take(chunk: Buffer, at: number, parts: Buffer[]): number {
    switch (this.#state) {
      case 'data': {
        const end = Math.min(chunk.length, at + this.#left);
        parts.push(chunk.subarray(at, end));
        this.#left -= end - at;
        if (this.#left === 0) this.#state = 'end of data';
        return end;
      }
      case 'over':
        return chunk.length;
      default:
        return this.#takeLine(chunk, at);
    }
  }

  #takeLine(chunk: Buffer, at: number): number {
    const feed = chunk.indexOf(LINE_FEED, at);
    const end = feed < 0 ? chunk.length : feed;
    this.#line += chunk.toString('latin1', at, Math.min(end, at + MAX_LINE + 1));
    if (this.#line.length > MAX_LINE) throw new Error(`a line of it is longer than ${MAX_LINE} bytes`);
    if (feed < 0) return chunk.length;
    const line = this.#line;
    this.#line = '';
    this.#endLine(line);
    return feed + 1;
  }

  #endLine(line: string): void {
    if (this.#state === 'trailer') {
      if (line === '' || line === '\r') this.#state = 'over';
      return;
    }
    if (this.#state === 'end of data') {
      if (line !== '' && line !== '\r') throw new Error('a chunk is longer than its first line says');
      this.#state = 'size';
      return;
    }
    const size = SIZE.exec(line)?.[1];
    if (size === undefined)
      throw new Error(`${JSON.stringify(line.trimEnd().slice(0, 40))} is not the first line of a chunk`);
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
  }
}
