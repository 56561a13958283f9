/** How much of an answer of several messages the journal shows, in characters. */
const MAX_SHOWN = 64 * 1024;

/** What the journal shows of several messages: one alone as it is, more of them a line each, bytes in base64. */
export class ShownMessages {
  #first: string | Buffer | undefined;
  #text: string | undefined;

  /** @returns what is shown with this one */
  add(message: string | Buffer | undefined): string | Buffer | undefined {
    if (message === undefined) return this.#text ?? this.#first;
    if (this.#first === undefined) return (this.#first = message);
    this.#text ??= textOf(this.#first);
    if (this.#text.length < MAX_SHOWN) this.#text = `${this.#text}\n${textOf(message)}`.slice(0, MAX_SHOWN);
    return this.#text;
  }
}

function textOf(message: string | Buffer): string {
  return typeof message === 'string' ? message : message.toString('base64');
}
