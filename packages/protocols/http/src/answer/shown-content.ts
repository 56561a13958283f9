/** How much of a stream the journal shows, in characters or bytes. */
const MAX_SHOWN = 64 * 1024;

/** What the journal shows of a stream: its beginning, as text while all of it is text. */
export class ShownContent {
  #text = '';
  #bytes: Buffer[] | undefined;
  #size = 0;

  add(data: string | Buffer): void {
    const left = MAX_SHOWN + 1 - this.#size;
    if (left <= 0) return;
    const part = typeof data === 'string' ? data.slice(0, left) : data.subarray(0, left);
    this.#size += part.length;
    if (typeof part === 'string' && this.#bytes === undefined) {
      this.#text += part;
      return;
    }
    this.#bytes ??= [Buffer.from(this.#text)];
    this.#bytes.push(Buffer.from(part as string));
  }

  take(): string | Buffer {
    return this.#bytes === undefined ? this.#text : Buffer.concat(this.#bytes);
  }
}
