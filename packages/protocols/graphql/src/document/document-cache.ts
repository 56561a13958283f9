const MAX_DOCUMENTS = 1000;
/** A document that is longer is parsed each time. */
const MAX_TEXT_LENGTH = 64 * 1024;

/** Documents that were read lately. Clients send the same few again and again, and parsing one costs more than all else. */
export class DocumentCache<T extends { readonly text: string }> {
  readonly #documents = new Map<string, T>();
  readonly #read: (text: string) => T;
  readonly #maxText: number;
  #size = 0;

  /**
   * @param read - reads one that is not held
   * @param maxText - how many UTF-16 units all texts that are held may have together
   */
  constructor(read: (text: string) => T, maxText = 4 * 1024 * 1024) {
    this.#read = read;
    this.#maxText = maxText;
  }

  /**
   * Reads a document, or finds it.
   *
   * @throws what reading it throws
   */
  read(text: string): T {
    const known = this.#documents.get(text);
    if (known !== undefined) return known;
    const document = this.#read(text);
    if (text.length <= MAX_TEXT_LENGTH) this.#keep(text, document);
    return document;
  }

  /** How many documents are held. */
  get count(): number {
    return this.#documents.size;
  }

  #keep(text: string, document: T): void {
    this.#documents.set(text, document);
    this.#size += text.length;
    // Those that were read first go first: one that is still in use comes back at its next request.
    for (const oldest of this.#documents.keys()) {
      if (this.#documents.size <= MAX_DOCUMENTS && this.#size <= this.#maxText) return;
      this.#documents.delete(oldest);
      this.#size -= oldest.length;
    }
  }
}
