import type { ActiveToxic, ToxicFeed } from '@backlot/core/plugin';
import { formatAddress, plainAddress } from '../address.js';
import { timers, type Timer } from '../timers.js';
import { alter } from './alter.js';

/** Bytes of datagrams that are held at most; what is to be held beyond them is lost. */
const MAX_HELD = 8 * 1024 * 1024;
/** What one that is held takes in memory beside its bytes. */
const OVERHEAD = 256;

type Pass = (data: Uint8Array) => void;

/** A datagram that others overtake. */
interface Overtaken {
  readonly stream: ActiveToxic['stream'];
  left: number;
  readonly goOn: () => void;
}

/** The toxics of the datagrams of one server. There is none before the first toxic of datagrams is set. */
export class DatagramToxics {
  readonly #feed: ToxicFeed;
  readonly #timers = new Set<Timer>();
  readonly #overtaken = new Set<Overtaken>();
  #held = 0;

  constructor(feed: ToxicFeed) {
    this.#feed = feed;
  }

  /**
   * Lets a datagram through, as the toxics have it: perhaps altered, later, several times or never.
   *
   * @param pass - called at once or later for each that goes through
   */
  send(stream: ActiveToxic['stream'], data: Uint8Array, address: string, port: number, pass: Pass): void {
    const toxics = this.#feed.current.filter((toxic) => toxic.onDatagrams && toxic.stream === stream);
    if (toxics.length === 0) pass(data);
    else {
      const plain = plainAddress(address);
      this.#run(toxics, 0, data, { address: plain, remote: formatAddress(plain, port) }, pass);
    }
    this.#overtake(stream);
  }

  /** Forgets what is held. */
  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#overtaken.clear();
    this.#held = 0;
  }

  #run(
    toxics: readonly ActiveToxic[],
    index: number,
    data: Uint8Array,
    client: { readonly address: string; readonly remote: string },
    pass: Pass,
  ): void {
    const toxic = toxics[index];
    if (toxic === undefined) return pass(data);
    const next = (changed: Uint8Array): void => this.#run(toxics, index + 1, changed, client, pass);
    if (!toxic.isFor(client.address, client.remote)) return next(data);
    const random = this.#feed.random(toxic, this.#feed.nextNumber());
    if (random.next() >= toxic.toxicity) return next(data);
    const { attributes } = toxic;
    switch (toxic.type) {
      case 'down':
      case 'loss':
        return;
      case 'duplicate': {
        for (let left = attributes['copies'] ?? 1; left > 0; left -= 1) next(data);
        return next(data);
      }
      case 'truncate':
        return next(data.subarray(0, attributes['bytes'] ?? 0));
      case 'corrupt': {
        const { bytes = 1, chance = 1 } = attributes;
        return next(random.next() < chance ? alter(data, bytes, random) : data);
      }
      case 'late': {
        const { latency = 0, jitter = 0 } = attributes;
        const delay = Math.max(0, latency + (jitter === 0 ? 0 : random.float(-jitter, jitter)));
        this.#hold(data, delay, next);
        return;
      }
      case 'reorder':
        return this.#letPass(toxic, data, next);
      default:
        return next(data);
    }
  }

  #hold(data: Uint8Array, delay: number, next: Pass): Timer | undefined {
    const size = data.length + OVERHEAD;
    if (this.#held + size > MAX_HELD) return undefined;
    this.#held += size;
    // An answer may be in memory that its sender uses again.
    const copy = Buffer.from(data);
    const timer = timers.after(
      delay,
      () => {
        this.#timers.delete(timer);
        this.#held -= size;
        next(copy);
      },
      { unref: true },
    );
    this.#timers.add(timer);
    return timer;
  }

  #letPass({ attributes, stream }: ActiveToxic, data: Uint8Array, next: Pass): void {
    const { gap = 1, timeout = 1000 } = attributes;
    const size = data.length + OVERHEAD;
    let entry: Overtaken | undefined = undefined;
    let isOver = false;
    let copy: Uint8Array = data;
    const pass = (): void => {
      if (isOver) return;
      isOver = true;
      if (entry !== undefined) this.#overtaken.delete(entry);
      next(copy);
    };
    const timer = this.#hold(data, timeout, (held) => {
      copy = held;
      pass();
    });
    if (timer === undefined) return;
    copy = Buffer.from(data);
    // The datagram itself is counted when it has been dealt with: one more.
    entry = {
      stream,
      left: gap + 1,
      goOn: () => {
        timer.cancel();
        this.#timers.delete(timer);
        this.#held -= size;
        pass();
      },
    };
    this.#overtaken.add(entry);
  }

  /** A datagram has gone by: those that wait for it go on. */
  #overtake(stream: ActiveToxic['stream']): void {
    if (this.#overtaken.size === 0) return;
    for (const entry of [...this.#overtaken]) {
      if (entry.stream !== stream) continue;
      entry.left -= 1;
      if (entry.left <= 0) {
        this.#overtaken.delete(entry);
        entry.goOn();
      }
    }
  }
}
