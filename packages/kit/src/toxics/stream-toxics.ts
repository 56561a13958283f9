import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ActiveToxic, ToxicFeed } from '@backlot/core/plugin';
import { Beneath } from './beneath.js';
import { ToxicLink } from './toxic-link.js';

/** The toxics of the connections of one server. There is none before the first toxic of connections is set. */
export class StreamToxics {
  readonly #feed: ToxicFeed;
  readonly #links = new Map<Socket, ToxicLink>();
  #isOver = false;

  constructor(feed: ToxicFeed) {
    this.#feed = feed;
  }

  /** Takes a new connection, before anything is read of it. @returns whether it is still open */
  take(raw: Socket): boolean {
    this.#linkOf(raw, raw, true);
    return !raw.destroyed;
  }

  /**
   * Takes a connection that was accepted before, unless it is known.
   *
   * @param socket - as {@link ToxicLink} has it
   * @returns `false` when something is to be done to bytes that cannot be reached
   */
  adopt(raw: Socket, socket: Socket | undefined): boolean {
    const link = this.#linkOf(raw, socket, false);
    return socket !== undefined || !link.hasRules;
  }

  /**
   * What reads and writes a socket by its handle is given this in its place.
   *
   * @param socket - that of TLS when it encrypts `raw` already
   */
  beneath(raw: Socket, socket = raw): Duplex {
    this.#linkOf(raw, socket, false);
    return new Beneath(socket);
  }

  reclaim(raw: Socket): void {
    this.#links.get(raw)?.reclaim();
  }

  /** Acts by the toxics that there are now. */
  update(): void {
    const toxics = this.#toxics();
    for (const link of this.#links.values()) link.update(toxics);
  }

  /** From now on nothing is done to any connection, and what is held goes on. */
  stop(): void {
    this.#isOver = true;
    this.update();
  }

  #toxics(): readonly ActiveToxic[] {
    return this.#isOver ? [] : this.#feed.current.filter((toxic) => toxic.onStreams);
  }

  #linkOf(raw: Socket, socket: Socket | undefined, isNew: boolean): ToxicLink {
    const known = this.#links.get(raw);
    if (known !== undefined) return known;
    const link = new ToxicLink(raw, socket, this.#feed);
    this.#links.set(raw, link);
    raw.once('close', () => {
      this.#links.delete(raw);
      link.end();
    });
    link.update(this.#toxics(), isNew);
    return link;
  }
}
