import type { Timer } from '@backlot/kit';
import { ByteQueue, type Framer } from '@backlot/kit/framing';
import { TrieWalk } from './byte-trie.js';

/** The most bytes that are gathered for one message: 1 MiB. */
export const MAX_MESSAGE = 1024 * 1024;
/** How long bytes that are a start of a mock wait for the rest, in milliseconds. */
export const REST_WAIT = 50;

/** Takes a message; `false` halts the framing until `resume`. */
export type Take = (message: Buffer) => boolean;

/** Cuts what a client sends into messages. */
export interface Framing {
  /** How many bytes wait. */
  readonly waiting: number;
  /** The same, with what keeping them takes. */
  readonly weight: number;
  readonly isHalted: boolean;
  push(chunk: Buffer): void;
  /** Goes on after `take` answered `false`. */
  resume(): void;
  /** The client sends nothing more: what waits is a message. Not while halted. */
  finish(): void;
}

/** How many of the gathered bytes are a message, see `measureMessage`. */
export type Measure = (gathered: Buffer, isFinal: boolean, walk: TrieWalk) => number;

/** What a piece that waits takes beside its bytes: a client may send byte by byte. */
const PIECE_BYTES = 256;

/**
 * Framing that the mocks decide. What arrives while an answer waits is gone through afterwards piece by piece as it
 * arrived, so that a slow answer does not change what the messages are.
 */
export class MockFraming implements Framing {
  readonly #measure: Measure;
  readonly #take: Take;
  readonly #after: (milliseconds: number, callback: () => void) => Timer;
  readonly #gathered = new ByteQueue();
  readonly #walk = new TrieWalk();
  #arrivals: Buffer[] = [];
  #arrived = 0;
  #timer: Timer | undefined;
  #isFinished = false;
  isHalted = false;

  constructor(measure: Measure, take: Take, after: (milliseconds: number, callback: () => void) => Timer) {
    this.#measure = measure;
    this.#take = take;
    this.#after = after;
  }

  get waiting(): number {
    return this.#gathered.length + this.#arrived;
  }

  get weight(): number {
    return this.waiting + PIECE_BYTES * this.#arrivals.length;
  }

  push(chunk: Buffer): void {
    this.#arrivals.push(chunk);
    this.#arrived += chunk.length;
    if (!this.isHalted) this.#run(false);
  }

  resume(): void {
    this.isHalted = false;
    this.#run(false);
  }

  finish(): void {
    this.#isFinished = true;
    this.#run(false);
  }

  /** @param isDue - whether the gathered bytes have waited long enough */
  #run(isDue: boolean): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    let isFinal = isDue;
    while (!this.isHalted) {
      if (this.#gathered.length === 0 && !this.#gather()) return;
      const isLast = this.#isFinished && this.#arrivals.length === 0;
      const { bytes, start, end, length } = this.#gathered;
      const gathered = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
      const size = this.#measure(gathered, isFinal || isLast || length >= MAX_MESSAGE, this.#walk);
      isFinal = false;
      if (size > 0) {
        this.#hand(size === length ? gathered : gathered.subarray(0, size));
      } else if (!this.#gather()) {
        this.#timer = this.#after(REST_WAIT, () => this.#run(true));
        return;
      }
    }
  }

  #hand(message: Buffer): void {
    this.#gathered.consume(message.length);
    this.#walk.restart();
    if (!this.#take(message)) this.isHalted = true;
  }

  #gather(): boolean {
    const chunk = this.#arrivals.shift();
    if (chunk === undefined) return false;
    this.#arrived -= chunk.length;
    this.#gathered.append(chunk);
    return true;
  }
}

/** Framing by what the bytes say themselves, such as a delimiter or a length. */
export class FrameFraming implements Framing {
  readonly #framer: Framer;
  readonly #take: Take;
  readonly #left: 'rest' | undefined;
  #isRestHalted = false;

  /** @param left - `rest`: what the client leaves unended at its end is a message too; absent: it is dropped */
  constructor(framer: Framer, take: Take, left?: 'rest') {
    this.#framer = framer;
    this.#take = take;
    this.#left = left;
  }

  get waiting(): number {
    return this.#framer.waiting;
  }

  get weight(): number {
    return this.waiting;
  }

  get isHalted(): boolean {
    return this.#isRestHalted || this.#framer.isHalted;
  }

  push(chunk: Buffer): void {
    this.#framer.push(chunk, this.#takeFrame);
  }

  resume(): void {
    this.#isRestHalted = false;
    this.#framer.resume(this.#takeFrame);
  }

  readonly #takeFrame = (frame: Buffer): 'halt' | undefined => (this.#take(frame) ? undefined : 'halt');

  finish(): void {
    const rest = this.#framer.takeRest();
    if (rest.length > 0 && this.#left === 'rest') this.#isRestHalted = !this.#take(rest);
  }
}
