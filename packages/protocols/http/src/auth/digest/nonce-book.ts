import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SEQUENCE_BYTES = 6;
const SEAL_BYTES = 16;
const NONCE_LENGTH = Math.ceil(((SEQUENCE_BYTES + SEAL_BYTES) * 4) / 3);
const WINDOW = 64;

/** The counts seen of one nonce: the highest, and which of the 64 up to it. */
interface Use {
  highest: number;
  seen: bigint;
}

/**
 * Issues digest nonces and remembers their use. An issued nonce takes no memory: it is a number sealed with the
 * process's secret. Of used nonces the counts are kept, for the latest `capacity` of them; forgetting one makes it,
 * and every older nonce, stale. Age alone makes no nonce stale, so a run does not depend on wall-clock time.
 */
export class NonceBook {
  readonly #secret = randomBytes(32);
  readonly #capacity: number;
  readonly #uses = new Map<number, Use>();
  readonly #accepted = new WeakMap<object, string>();
  #issued = 0;
  #oldestGood = 0;

  /** Returned by clients unchanged (RFC 7616, section 3.3). */
  readonly opaque = randomBytes(16).toString('base64url');

  constructor(capacity = 4096) {
    this.#capacity = capacity;
  }

  /** A new nonce. */
  issue(): string {
    const sequence = Buffer.alloc(SEQUENCE_BYTES);
    sequence.writeUIntBE(this.#issued, 0, SEQUENCE_BYTES);
    this.#issued += 1;
    return Buffer.concat([sequence, this.#seal(sequence)]).toString('base64url');
  }

  /** Whether the nonce was issued by this process and is not forgotten. */
  isGood(nonce: string): boolean {
    return this.#sequenceOf(nonce) !== undefined;
  }

  /**
   * Uses a nonce with a count, once per message.
   *
   * @param message - stands for the message: a further call with the same object is no replay
   * @returns false when the nonce is stale: not ours, forgotten, or used with this count by another message.
   * Counts may come out of order within 64, as parallel connections send them.
   */
  use(nonce: string, count: number, message: object): boolean {
    const sequence = this.#sequenceOf(nonce);
    if (sequence === undefined) {
      return false;
    }
    const ticket = `${sequence}:${count}`;
    if (this.#accepted.get(message) === ticket) {
      return true;
    }
    const use = this.#uses.get(sequence) ?? this.#open(sequence);
    if (!mark(use, count)) {
      return false;
    }
    this.#accepted.set(message, ticket);
    return true;
  }

  #open(sequence: number): Use {
    const [oldest] = this.#uses.keys();
    if (oldest !== undefined && this.#uses.size >= this.#capacity) {
      this.#uses.delete(oldest);
      this.#oldestGood = Math.max(this.#oldestGood, oldest + 1);
    }
    const use: Use = { highest: 0, seen: 0n };
    this.#uses.set(sequence, use);
    return use;
  }

  #sequenceOf(nonce: string): number | undefined {
    if (nonce.length !== NONCE_LENGTH) {
      return undefined;
    }
    const bytes = Buffer.from(nonce, 'base64url');
    if (bytes.length !== SEQUENCE_BYTES + SEAL_BYTES) {
      return undefined;
    }
    const sequence = bytes.subarray(0, SEQUENCE_BYTES);
    if (!timingSafeEqual(bytes.subarray(SEQUENCE_BYTES), this.#seal(sequence))) {
      return undefined;
    }
    const value = sequence.readUIntBE(0, SEQUENCE_BYTES);
    return value < this.#oldestGood ? undefined : value;
  }

  #seal(sequence: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret).update(sequence).digest().subarray(0, SEAL_BYTES);
  }
}

function mark(use: Use, count: number): boolean {
  if (count > use.highest) {
    const jump = count - use.highest;
    use.seen = jump >= WINDOW ? 1n : BigInt.asUintN(WINDOW, use.seen << BigInt(jump)) | 1n;
    use.highest = count;
    return true;
  }
  const back = use.highest - count;
  if (count === 0 || back >= WINDOW) {
    return false;
  }
  const bit = 1n << BigInt(back);
  if ((use.seen & bit) !== 0n) {
    return false;
  }
  use.seen |= bit;
  return true;
}
