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

// Turning a number into digits costs more than all of the above.
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(word: number): string {
  return byteAt(word, 24) + byteAt(word, 16) + byteAt(word, 8) + byteAt(word, 0);
}

function byteAt(word: number, shift: number): string {
  return BYTES[(word >>> shift) & 0xff] ?? '';
}
