import type { Socket } from 'node:net';
import type { Host } from '@backlot/core';
import { afterRealTime, messageOf, realElapsed, type Waiting } from '@backlot/core/plugin';
import type { Peers, Told } from '../peers.js';
import type { ReplicaKey } from '../replica-key.js';
import { offeredBy, receiveCopy, sendCopy } from './copy-transfer.js';
import { MOST_COPIED, partsOf, readCopy, writeCopy, type StoredCopy } from './stored-copy.js';

/** The least time from one copy to the next, in milliseconds. */
const EVERY = 1_000;
/** How many times as long as a copy has taken there is none: so copying takes a twentieth of the time at most. */
const REST = 19;
/** How long the last copy of a home that stops may take, in milliseconds. */
const LAST = 5_000;
const MAIN = '';

/** What copies ask of a replica. */
export interface CopiesParts {
  readonly name: string;
  readonly session: string;
  readonly key: ReplicaKey;
  readonly peers: Peers;
  readonly warn: (text: string) => void;
  /** The revision up to which this replica has made all changes. */
  readonly revision: () => number;
  /** Whether this replica is the home at this moment. */
  readonly holds: () => boolean;
  /** The replica that is the home, as far as is known. */
  readonly home: () => Told | undefined;
}

/** Copies of what clients have stored: the home hands them to all others, and the next home begins with the last one. */
export class StoredCopies {
  readonly #parts: CopiesParts;
  #host: Host | undefined;
  /** The last one that a home has handed over. */
  #kept: StoredCopy | undefined;
  /** Of each world, the newest change that has put stored data back: copies from before it hold no more. */
  readonly #renewed = new Map<string, number>();
  /** What was handed to whom, by the session: the digest of the data with the revision. */
  readonly #sent = new Map<string, string>();
  #next: Waiting | undefined;
  #copying: Promise<void> | undefined;
  #isReceiving = false;
  #isTooLarge = false;
  /** Why some have not taken the last copy. */
  #problem = '';

  constructor(parts: CopiesParts) {
    this.#parts = parts;
  }

  /** @param host - whose data is copied */
  start(host: Host): void {
    this.#host = host;
    const staying = Array.from(host.stored.staying, ([kind, parts]) => `${kind} (${parts.join(', ')})`);
    if (staying.length > 0)
      this.#parts.warn(
        `what clients store is copied to the other replicas, but for ${staying.join('; ')}: the next home begins with the configuration there`,
      );
  }

  /** This replica is the home now: copies are made until {@link end}. */
  begin(): void {
    this.#sent.clear();
    this.#nextAfter(0);
  }

  end(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  /** Makes the last copy, before the home stops. */
  async last(): Promise<void> {
    this.end();
    await this.#copying;
    let timer: Waiting | undefined;
    const late = new Promise<void>((resolve) => (timer = afterRealTime(LAST, resolve)));
    await Promise.race([this.#copy(), late]);
    timer?.cancel();
  }

  /** A change has put the stored data of a world back. @param world - the id of a space, or nothing for the main one */
  renewed(world: string, revision: number): void {
    this.#renewed.set(world, revision);
  }

  /**
   * Takes what another replica hands over, where it is a copy.
   *
   * @returns begins with it; `refused` where it is one that is not to be had; undefined where it is a connection of a client
   */
  take(socket: Socket, name: string): (() => void) | 'refused' | undefined {
    const offered = offeredBy(name);
    if (offered === undefined) return undefined;
    const isOfHome = this.#parts.home()?.session === offered.session && !this.#parts.holds();
    if (!isOfHome || this.#isReceiving) return 'refused';
    return () => {
      this.#isReceiving = true;
      socket.once('close', () => (this.#isReceiving = false));
      receiveCopy(socket, offered, (bytes) => this.#keep(bytes));
    };
  }

  /** The last copy that is kept here. */
  get kept(): Pick<StoredCopy, 'from' | 'revision' | 'at'> | undefined {
    return this.#kept;
  }

  /** Begins with the last copy, if there is one. @returns what is to be said of it */
  layIn(): string | undefined {
    const copy = this.#kept;
    this.#kept = undefined;
    if (copy === undefined) return undefined;
    try {
      const parts = partsOf(copy, ({ space }) => (this.#renewed.get(space ?? MAIN) ?? 0) <= copy.revision);
      this.#host?.stored.put(parts);
    } catch (thrown) {
      this.#host?.forgetStored();
      return `it begins with the configuration, since the copy of "${copy.from}" cannot be read: ${messageOf(thrown)}`;
    }
    return `it begins with the copy that "${copy.from}" made ${new Date(copy.at).toISOString()}, and what they have stored since then is lost`;
  }

  #keep(bytes: Buffer): void {
    try {
      this.#kept = readCopy(bytes);
    } catch (thrown) {
      this.#parts.warn(`the copy of what clients have stored cannot be read: ${messageOf(thrown)}`);
    }
  }

  #nextAfter(time: number): void {
    this.#next?.cancel();
    this.#next = afterRealTime(time, () => {
      const began = realElapsed();
      this.#copying = this.#copy().then(() => {
        if (this.#next !== undefined) this.#nextAfter(Math.max(EVERY, REST * (realElapsed() - began)));
      });
    });
  }

  async #copy(): Promise<void> {
    const { name, holds, revision, warn } = this.#parts;
    if (!holds() || this.#host === undefined) return;
    try {
      const copy = await writeCopy(this.#host.stored.take(), {
        from: name,
        revision: revision(),
        at: Date.now(),
      });
      if (copy === undefined && !this.#isTooLarge)
        warn(
          `what clients have stored has more than ${MOST_COPIED} bytes, so that no copies are made: the next home would begin with the last one before`,
        );
      this.#isTooLarge = copy === undefined;
      if (copy !== undefined) await this.#sendToAll(copy);
    } catch (thrown) {
      this.#report(messageOf(thrown));
    }
  }

  async #sendToAll(copy: StoredCopy): Promise<void> {
    const { peers, key, session, holds } = this.#parts;
    const problems: string[] = [];
    const mark = `${copy.digest} ${copy.revision}`;
    // One after the other: what the network takes at a time is bounded.
    for (const peer of peers.live()) {
      const { url, handOverPort, session: other, from } = peer;
      if (url === undefined || handOverPort === undefined || this.#sent.get(other) === mark) continue;
      if (!holds()) return;
      try {
        const host = new URL(url).hostname.replaceAll(/[[\]]/g, '');
        if (await sendCopy({ host, port: handOverPort }, session, copy.bytes, key))
          this.#sent.set(other, mark);
      } catch (thrown) {
        problems.push(`"${from}": ${messageOf(thrown)}`);
      }
    }
    const live = new Set(peers.live().map((peer) => peer.session));
    for (const known of this.#sent.keys()) if (!live.has(known)) this.#sent.delete(known);
    this.#report(problems.join('; '));
  }

  /** Says what is wrong once, and not each second. */
  #report(problem: string): void {
    if (problem !== '' && this.#problem === '')
      this.#parts.warn(`the copy of what clients have stored is not where it should be: ${problem}`);
    this.#problem = problem;
  }
}
