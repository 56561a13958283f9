import { timers, type Timer } from '../timers.js';
import { NO_RULES, type LaneRules } from './lane-rules.js';

/** Where the bytes of a lane go. */
export interface LaneEnd {
  /** Takes bytes; `taken` is called, perhaps at once, when it can take more. */
  take(bytes: Buffer, taken: () => void): void;
  /** The side has ended. */
  end(): void;
  /** The connection is to be closed, since its limit is reached. */
  close(): void;
}

/** Bytes that a lane holds at most, and one chunk beyond them: more are not asked for. */
const MAX_HELD = 1024 * 1024;
/** Pieces that go on in one turn of the event loop. */
const MAX_PIECES = 64;

type Item =
  | { readonly what: 'bytes'; bytes: Buffer; readonly due: number }
  | { readonly what: 'end'; readonly due: number; readonly done: () => void };

/** One direction of a connection: holds what comes as long as its rules say, and passes it on in its order. */
export class Lane {
  readonly #to: LaneEnd;
  #rules: LaneRules = NO_RULES;
  #items: Item[] = [];
  #held = 0;
  /** When the next piece may go on, by {@link Timers.now}. */
  #free = 0;
  #lastDue = 0;
  #timer: Timer | undefined;
  #isTaking = false;
  #isPumping = false;
  #isStopped = false;
  #isLimited = false;
  #onRoom: (() => void)[] = [];

  constructor(to: LaneEnd) {
    this.#to = to;
  }

  /** Whether so much is held that no more is to come for now. */
  get isFull(): boolean {
    return this.#held >= MAX_HELD;
  }

  /** Whether bytes can go past it: nothing is held, and nothing is done to them. */
  get isOpen(): boolean {
    return this.#rules.isEmpty && this.isIdle && !this.#isLimited;
  }

  /** Whether bytes were passed on that are not taken yet. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  get isIdle(): boolean {
    return this.#items.length === 0 && !this.#isTaking;
  }

  /** Other rules from now on; what is held and has no more reason to wait goes on. */
  follow(rules: LaneRules): void {
    this.#rules = rules;
    if (rules.isEmpty) {
      const now = timers.now();
      this.#items = this.#items.map((item) => ({ ...item, due: now }));
      this.#lastDue = now;
      this.#free = now;
    }
    this.#pump();
  }

  /** Takes bytes, which nobody changes any more. */
  feed(chunk: Buffer): void {
    if (this.#isStopped || this.#isLimited || this.#rules.drops) return;
    const admitted = this.#rules.admit(chunk.length);
    const now = timers.now();
    if (admitted > 0) {
      if (this.isIdle) this.#free = Math.max(this.#free, now);
      const bytes = this.#rules.alter(admitted < chunk.length ? chunk.subarray(0, admitted) : chunk);
      this.#lastDue = Math.max(this.#lastDue, now + this.#rules.delay());
      this.#items.push({ what: 'bytes', bytes, due: this.#lastDue });
      this.#held += bytes.length;
    }
    if (admitted < chunk.length) {
      this.#isLimited = true;
      this.#add('end', now, () => this.#to.close());
    }
    this.#pump();
  }

  /** Says that the side has ended. */
  finish(): void {
    this.#add('end', timers.now() + this.#rules.closeDelay, () => this.#to.end());
    this.#pump();
  }

  /** Calls back when all that is held has gone on. */
  whenEmpty(done: () => void): void {
    this.#add('end', timers.now(), done);
    this.#pump();
  }

  /** Calls back when there is room again. */
  whenRoom(done: () => void): void {
    if (this.isFull && !this.#isStopped) this.#onRoom.push(done);
    else done();
  }

  /** Forgets what it holds, and passes nothing on any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#items = [];
    this.#held = 0;
    this.#tellRoom();
  }

  #add(what: 'end', due: number, done: () => void): void {
    if (this.#isStopped) return done();
    this.#lastDue = Math.max(this.#lastDue, due);
    this.#items.push({ what, due: this.#lastDue, done });
  }

  readonly #pump = (): void => {
    if (this.#isTaking || this.#isPumping || this.#isStopped) return;
    this.#isPumping = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    let left = MAX_PIECES;
    for (let item = this.#items[0]; item !== undefined && !this.#isTaking; item = this.#items[0]) {
      const now = timers.now();
      const due = Math.max(item.due, item.what === 'bytes' ? this.#free : 0);
      if (due > now || left === 0) {
        this.#timer = timers.after(Math.ceil(due - now), this.#pump, { unref: true });
        break;
      }
      left -= 1;
      if (item.what === 'bytes') this.#pass(item);
      else {
        this.#items.shift();
        item.done();
      }
    }
    this.#isPumping = false;
    if (!this.isFull) this.#tellRoom();
  };

  #pass(item: Item & { readonly what: 'bytes' }): void {
    const { bytes } = item;
    const length = this.#rules.piece(bytes.length);
    if (length < bytes.length) item.bytes = bytes.subarray(length);
    else this.#items.shift();
    this.#held -= length;
    this.#free += this.#rules.cost(length);
    this.#isTaking = true;
    this.#to.take(bytes.subarray(0, length), this.#taken);
  }

  readonly #taken = (): void => {
    this.#isTaking = false;
    this.#pump();
  };

  #tellRoom(): void {
    const waiting = this.#onRoom;
    if (waiting.length === 0) return;
    this.#onRoom = [];
    for (const done of waiting) done();
  }
}
