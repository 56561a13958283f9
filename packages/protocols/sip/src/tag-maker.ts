import type { IncomingRequest } from './incoming-request.js';
import { keyedHash } from './keyed-hash.js';

const PRIME = 0x01000193;

/**
 * Makes the tags of this server's side (RFC 3261 section 19.3). The first half is made of what a dialog is known by, so that a
 * request within a dialog that was made here is known without anything being kept. The second half also depends on the
 * address of the client, and on a key: who sends such a tag back has received it there.
 */
export class TagMaker {
  readonly #salt: number;
  readonly #key: readonly [number, number];

  /** @param random - a source of whole numbers of 32 bits */
  constructor(random: () => number) {
    this.#salt = random();
    this.#key = [random(), random()];
  }

  make(request: TagParts): string {
    const { callId, fromTag, source } = request;
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
    return hex(high ^ low) + hex(keyedHash(this.#key, high, low, source.address, source.port));
  }

  /** Whether a request is one within a dialog that was made here, from wherever it comes. */
  isWithinOwnDialog(request: TagParts & Pick<IncomingRequest, 'toTag'>): boolean {
    const { toTag } = request;
    return toTag.length === 16 && toTag.startsWith(this.make(request).slice(0, 8));
  }
}

/** What a tag is made of. */
type TagParts = Pick<IncomingRequest, 'callId' | 'fromTag'> & {
  readonly source: Pick<IncomingRequest['source'], 'address' | 'port'>;
};

// Turning a number into digits costs more than all of the above.
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(word: number): string {
  return byteAt(word, 24) + byteAt(word, 16) + byteAt(word, 8) + byteAt(word, 0);
}

function byteAt(word: number, shift: number): string {
  return BYTES[(word >>> shift) & 0xff] ?? '';
}
