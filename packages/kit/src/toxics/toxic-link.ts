import type { Socket } from 'node:net';
import type { ActiveToxic, ToxicFeed } from '@backlot/core/plugin';
import { formatAddress, plainAddress } from '../address.js';
import { resetSocket } from '../reset-socket.js';
import { timers, type Timer } from '../timers.js';
import { HookedSocket } from './hooked-socket.js';
import { LaneRules, type ToxicState } from './lane-rules.js';

/** A toxic that acts on this connection, with the timer that closes it. */
interface Acting extends ToxicState {
  timer: Timer | undefined;
}

/** The toxics of one connection. */
export class ToxicLink {
  readonly #raw: Socket;
  readonly #feed: ToxicFeed;
  readonly #number: number;
  readonly #address: string;
  readonly #remote: string;
  readonly #hooked: HookedSocket | undefined;
  /** Those that were looked at; undefined for one that does not act on this connection. */
  #states = new Map<ActiveToxic, Acting | undefined>();

  /**
   * @param raw - the TCP socket
   * @param socket - the one whose streams are used: that of TLS when it encrypts `raw` already; undefined for a connection
   * that is read and written by its handle
   */
  constructor(raw: Socket, socket: Socket | undefined, feed: ToxicFeed) {
    this.#raw = raw;
    this.#feed = feed;
    this.#number = feed.nextNumber();
    this.#address = plainAddress(raw.remoteAddress ?? '');
    this.#remote = formatAddress(this.#address, raw.remotePort ?? 0);
    this.#hooked = socket && new HookedSocket(socket, () => this.#close());
  }

  /** Whether something is to be done to the bytes. */
  get hasRules(): boolean {
    return this.#acting().some(({ toxic }) => toxic.type !== 'down' && toxic.type !== 'reset_peer');
  }

  /** Acts by these toxics from now on. @param isNew - whether the connection was just taken */
  update(toxics: readonly ActiveToxic[], isNew = false): void {
    const before = this.#states;
    this.#states = new Map(
      toxics.map((toxic) => [toxic, before.has(toxic) ? before.get(toxic) : this.#roll(toxic)]),
    );
    for (const [toxic, state] of before) if (!this.#states.has(toxic)) state?.timer?.cancel();
    const acting = this.#acting();
    if (acting.some(({ toxic }) => toxic.type === 'down')) {
      if (isNew) this.#reset();
      else this.#close();
      return;
    }
    for (const state of acting) this.#setTimer(state);
    const rulesOf = (stream: ActiveToxic['stream']): LaneRules =>
      new LaneRules(acting.filter(({ toxic }) => toxic.stream === stream));
    this.#hooked?.follow(rulesOf('upstream'), rulesOf('downstream'));
  }

  /** Lets node:http read by events again after it was handed the socket. */
  reclaim(): void {
    this.#hooked?.reclaim();
  }

  /** Ends all timers: the connection is closed. */
  end(): void {
    for (const state of this.#states.values()) state?.timer?.cancel();
    this.#states.clear();
    this.#hooked?.stop();
  }

  #acting(): readonly Acting[] {
    return [...this.#states.values()].filter((state) => state !== undefined);
  }

  #roll(toxic: ActiveToxic): Acting | undefined {
    if (!toxic.isFor(this.#address, this.#remote)) return undefined;
    const random = this.#feed.random(toxic, this.#number);
    // Rolled in any case, so that a toxicity of 1 leaves the further chances as they are.
    if (random.next() >= toxic.toxicity) return undefined;
    return { toxic, random, passed: 0, timer: undefined };
  }

  #setTimer(state: Acting): void {
    if (state.timer !== undefined) return;
    const { type, attributes } = state.toxic;
    const { timeout = 0 } = attributes;
    if (type === 'reset_peer') {
      if (timeout === 0) this.#reset();
      else state.timer = timers.after(timeout, () => this.#reset(), { unref: true });
    } else if (type === 'timeout' && timeout > 0)
      state.timer = timers.after(timeout, () => this.#close(), { unref: true });
  }

  #reset(): void {
    this.#hooked?.stop();
    if (!this.#raw.destroyed) resetSocket(this.#raw);
  }

  #close(): void {
    if (this.#raw.destroyed) return;
    this.#hooked?.stop();
    this.#raw.destroySoon();
  }
}
