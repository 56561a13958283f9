import type { Socket } from 'node:net';
import { timers } from './timers.js';

/** What became of a write: `sent`; `closed`, the socket is; `overfull`, more than the limit waits already. */
export type Sent = 'sent' | 'closed' | 'overfull';

/** So many gathered bytes leave without waiting for the end of the turn. */
const FULL = 64 * 1024;

/**
 * Writes to a socket within limits. What is written while one chunk is handled leaves together when it has been, so that
 * a pipeline costs one system call, and short answers one write of the socket.
 */
export class Outbox {
  #socket: Socket;
  #isInTurn = false;
  #isGathering = false;
  /** What leaves together. */
  readonly #held: (string | Uint8Array)[] = [];
  /** How much is held: bytes, and characters of texts. */
  #size = 0;
  /** Of the texts that are held; `undefined` for bytes. */
  #encoding: BufferEncoding | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** How many bytes wait to be sent. */
  get waiting(): number {
    return this.#socket.writableLength + this.#size;
  }

  /** From now on writes to another socket. */
  retarget(socket: Socket): void {
    this.endTurn();
    this.#release();
    this.#socket = socket;
  }

  /** A chunk begins to be handled; says whether this call began it, and so has to end it. */
  beginTurn(): boolean {
    const begins = !this.#isInTurn;
    this.#isInTurn = true;
    return begins;
  }

  /** The chunk has been handled. */
  endTurn(): void {
    this.#isInTurn = false;
    if (this.#held.length > 0) this.#writeHeld();
  }

  /** Writes, unless more than `limit` bytes wait already: one write of any size is taken when the client keeps up. */
  send(data: string | Uint8Array, encoding: BufferEncoding | undefined, limit: number): Sent {
    const socket = this.#socket;
    if (socket.destroyed) return 'closed';
    if (socket.writableLength + this.#size > limit) return 'overfull';
    if (this.#isInTurn || this.#isGathering) this.#hold(data, encoding);
    else socket.write(data, encoding);
    return 'sent';
  }

  /**
   * Writes the first at once, so that it has no delay, and together all else that comes within this turn of the event
   * loop, whoever it comes from: what many clients send to one costs it two system calls.
   */
  gather(data: string | Uint8Array, encoding: BufferEncoding | undefined, limit: number): Sent {
    const sent = this.send(data, encoding, limit);
    if (sent === 'sent' && !this.#isInTurn && !this.#isGathering) {
      this.#isGathering = true;
      timers.afterTurn(this.#release);
    }
    return sent;
  }

  /** Whether more than `highWater` bytes wait; a drain event follows in that case. */
  isAbove(highWater: number): boolean {
    if (this.#size > 0 && this.waiting > highWater) this.#writeHeld();
    return this.#socket.writableLength > highWater && this.#socket.writableNeedDrain;
  }

  /** Resolves when all that was written has left. */
  async flush(): Promise<void> {
    this.endTurn();
    this.#release();
    const socket = this.#socket;
    if (socket.writableLength > 0) await new Promise((resolve) => socket.write('', resolve));
  }

  readonly #release = (): void => {
    this.#isGathering = false;
    if (!this.#isInTurn && this.#held.length > 0) this.#writeHeld();
  };

  #hold(data: string | Uint8Array, encoding: BufferEncoding | undefined): void {
    const kind = typeof data === 'string' ? (encoding ?? 'utf8') : undefined;
    if (this.#held.length === 0) this.#encoding = kind;
    else if (kind !== this.#encoding) this.#toBytes();
    const held =
      typeof data === 'string' && this.#encoding === undefined ? Buffer.from(data, encoding) : data;
    this.#held.push(held);
    this.#size += held.length;
    if (this.#size > FULL) this.#writeHeld();
  }

  /** Texts and bytes, or texts of several encodings, leave as bytes. */
  #toBytes(): void {
    const encoding = this.#encoding;
    this.#encoding = undefined;
    this.#size = 0;
    for (const [index, data] of this.#held.entries()) {
      const bytes = typeof data === 'string' ? Buffer.from(data, encoding) : data;
      this.#held[index] = bytes;
      this.#size += bytes.length;
    }
  }

  #writeHeld(): void {
    const held = this.#held;
    const size = this.#size;
    const encoding = this.#encoding;
    this.#size = 0;
    if (this.#socket.destroyed) held.length = 0;
    const [first] = held;
    if (first === undefined) return;
    if (held.length === 1) this.#socket.write(first, encoding);
    else if (encoding !== undefined) this.#socket.write(held.join(''), encoding);
    else if (size <= 2 * FULL) this.#socket.write(Buffer.concat(held as Uint8Array[], size));
    else this.#writeEach(held);
    held.length = 0;
  }

  /** What is large is not copied into one piece; it leaves by one system call all the same. */
  #writeEach(held: readonly (string | Uint8Array)[]): void {
    this.#socket.cork();
    for (const data of held) this.#socket.write(data);
    this.#socket.uncork();
  }
}
