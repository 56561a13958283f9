import { LongText, PAGE } from '../data/long-text.js';

/** A long argument while it comes: it is decoded page by page, and never put together. */
export class LongArgument {
  readonly #pages: string[] = [];
  readonly #page = Buffer.allocUnsafe(PAGE);
  #filled = 0;

  /** Takes bytes of it. */
  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const taken = bytes.copy(this.#page, this.#filled, at);
      this.#filled += taken;
      at += taken;
      if (this.#filled === PAGE) this.#turn();
    }
  }

  /** All that has come. */
  finish(): LongText {
    if (this.#filled > 0) this.#turn();
    return LongText.join(this.#pages);
  }

  #turn(): void {
    this.#pages.push(this.#page.toString('latin1', 0, this.#filled));
    this.#filled = 0;
  }
}
