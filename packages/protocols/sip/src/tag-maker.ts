import type { IncomingRequest } from './incoming-request.js';

const PRIME = 0x01000193;

/**
 * Makes the tags of this server's side (RFC 3261 section 19.3) of what a dialog is known by. So a request within a dialog
 * that was made here is known without anything being kept.
 */
export class TagMaker {
  readonly #salt: number;

  /** @param salt - 32 bits of chance */
  constructor(salt: number) {
    this.#salt = salt;
  }

  make({ callId, fromTag }: IncomingRequest): string {
    // FNV-1a, twice.
    let high = this.#salt ^ 0x811c9dc5;
    let low = Math.imul(this.#salt, PRIME) ^ 0x2b;
    for (const text of [callId, fromTag]) {
      for (let index = 0; index < text.length; index += 1) {
        const unit = text.charCodeAt(index);
        high = Math.imul(high ^ unit, PRIME);
        low = Math.imul(low ^ (unit + index), PRIME);
      }
      high = Math.imul(high ^ 0xff, PRIME);
    }
    return hex(high) + hex(low);
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
