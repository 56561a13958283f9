import type { Document } from './operation.js';
import { readDocument } from './read-document.js';

const MAX_DOCUMENTS = 1000;
/** In UTF-16 units, all of them together. */
const MAX_TEXT = 4 * 1024 * 1024;
/** A document that is longer is parsed each time. */
const MAX_TEXT_LENGTH = 64 * 1024;

/** Documents that were read lately. Clients send the same few again and again, and parsing one costs more than all else. */
export class DocumentCache {
  readonly #documents = new Map<string, Document>();
  #size = 0;

  /**
   * Reads a document, or finds it.
   *
   * @throws GraphQLError as {@link readDocument}
   */
  read(text: string): Document {
    const known = this.#documents.get(text);
    if (known !== undefined) return known;
    const document = readDocument(text);
    if (text.length <= MAX_TEXT_LENGTH) this.#keep(text, document);
    return document;
  }

  /** How many documents are held. */
  get count(): number {
    return this.#documents.size;
  }

  #keep(text: string, document: Document): void {
    this.#documents.set(text, document);
    this.#size += text.length;
    // Those that were read first go first: one that is still in use comes back at its next request.
    for (const oldest of this.#documents.keys()) {
      if (this.#documents.size <= MAX_DOCUMENTS && this.#size <= MAX_TEXT) return;
      this.#documents.delete(oldest);
      this.#size -= oldest.length;
    }
  }
}
