import type { Socket } from 'node:net';
import type { Host } from '@backlot/core';
import { realElapsed } from '@backlot/core/plugin';
import type { CommandLog } from '../log.js';
import type { Peers, Told } from '../peers.js';
import type { ReplicaKey } from '../replica-key.js';
import { handOver, HandOverPort } from './hand-over.js';
import { HomePorts } from './home-ports.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { PassedConnection } from './proxy-header.js';
import { StoredCopies } from './stored-copies.js';

/** For so long after the engine is back the one that was the home before may go on being it, in milliseconds. */
const FORMER_FIRST = 2_000;

/** What the home of a replica knows. */
export interface HomeParts {
  readonly name: string;
  readonly session: string;
  readonly log: CommandLog;
  readonly key: ReplicaKey;
  readonly peers: Peers;
  readonly warn: (text: string) => void;
  /** Whether this replica may become the home. */
  readonly isReady: () => boolean;
  /** The revision up to which this replica has made all changes. */
  readonly revision: () => number;
  /** Whether the next home begins with the last copy of what clients have stored; with the configuration otherwise. */
  readonly copies: boolean;
  /** Tells the others how this replica stands. */
  readonly tell: () => void;
}

/** Where the home of what clients store is, and how connections come to it. */
export class Home {
  readonly ports: HomePorts;
  readonly #parts: HomeParts;
  readonly #lease: LeaseKeeper;
  readonly #port: HandOverPort;
  readonly #copies: StoredCopies | undefined;
  #host: Host | undefined;
  /** Where it takes what others hand over. */
  #place: number | undefined;
  /** Whether it was the home since it has begun with the configuration. */
  #hasServed = false;
  #reachedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: HomeParts) {
    this.#parts = parts;
    this.#lease = new LeaseKeeper({
      ...{ log: parts.log, session: parts.session },
      gained: (before) => this.#gained(before),
      lost: (reason) => this.#lost(reason),
    });
    this.ports = new HomePorts({
      holds: () => this.#lease.holds,
      start: (name) => this.#startKind(name),
      handOver: (passed) => this.#handOver(passed),
    });
    this.#copies = parts.copies
      ? new StoredCopies({ ...parts, holds: () => this.#lease.holds, home: () => this.#other() })
      : undefined;
    this.#port = new HandOverPort(parts.key, (socket, passed) => this.#take(socket, passed));
  }

  /** The name of the replica that is the home; null when it is not known, or there is none now; undefined when nothing has data. */
  get name(): string | null | undefined {
    if (!this.ports.hasData) return undefined;
    if (this.#lease.holds) return this.#parts.name;
    return this.#other()?.from ?? null;
  }

  /** The last copy of what clients have stored that another replica has handed over. */
  get copy(): StoredCopies['kept'] {
    return this.#copies?.kept;
  }

  /** What the others are told. */
  get told(): Pick<Told, 'isHome' | 'handOverPort'> {
    return {
      ...(this.#lease.holds ? { isHome: true as const } : {}),
      ...(this.#place === undefined ? {} : { handOverPort: this.#place }),
    };
  }

  /** Takes what others hand over. @throws the system's error when the port cannot be had */
  async start(host: Host, listen: { readonly host: string; readonly port: number }): Promise<void> {
    this.#host = host;
    if (!this.ports.hasData) return;
    this.#copies?.start(host);
    this.#place = await this.#port.start(listen.host, listen.port);
  }

  /** Looks whether there is a home, and tries to be it where there is none. */
  look(): void {
    const { log, isReady } = this.#parts;
    const other = this.#other();
    if (other !== undefined) {
      this.ports.wake();
      if (!this.#lease.holds) this.#forget();
      return;
    }
    if (!this.ports.hasData || this.#place === undefined || !isReady() || !log.isReached) return;
    // One that has lost it with the engine has what clients have stored still.
    const isFormer = this.#hasServed;
    if (!isFormer && realElapsed() - this.#reachedAt < FORMER_FIRST) return;
    void this.#lease.take();
  }

  /** The engine is reached again. */
  reached(): void {
    this.#reachedAt = realElapsed();
    this.look();
  }

  /** A change has put the stored data of a world back to what it was at another time. */
  renewed(world: string, revision: number): void {
    this.#copies?.renewed(world, revision);
  }

  /** Gives the others what clients have stored until now. */
  async leaveCopy(): Promise<void> {
    if (this.#lease.holds) await this.#copies?.last();
  }

  /** Takes no more; what is open goes on. */
  close(): void {
    this.#lease.close();
  }

  /** Gives the lease back, once nothing is open any more. */
  async drop(): Promise<void> {
    await this.#lease.drop();
    await this.#port.close();
  }

  /** This replica has failed: what it would answer is not that of the others. */
  fail(reason: string): void {
    this.#lease.lose(reason);
    this.#lease.close();
  }

  #take(socket: Socket, passed: PassedConnection): (() => void) | undefined {
    const begin = this.#copies?.take(socket, passed.name);
    return begin === 'refused' ? undefined : (begin ?? this.ports.takePassed(socket, passed));
  }

  #other(): Told | undefined {
    return this.#parts.peers.live().find(({ isHome }) => isHome === true);
  }

  /** The services of a space begin when they are first used, here it may be after another replica. */
  #startKind(name: string): void {
    const [listener = '', space] = name.split(' of ');
    const [kind] = listener.split('+');
    const held = this.#host?.spaces.list().find(({ id }) => id === space);
    const found = held?.host.kinds.find((each) => each.kind === kind);
    // The kind shows in its status why it cannot.
    found?.wake().catch(() => undefined);
  }

  async #handOver(passed: PassedConnection): Promise<Socket | undefined> {
    const other = this.#other();
    if (other?.url === undefined || other.handOverPort === undefined) return undefined;
    const host = new URL(other.url).hostname.replaceAll(/[[\]]/g, '');
    return await handOver({ host, port: other.handOverPort }, passed, this.#parts.key);
  }

  #gained(before: string | undefined): void {
    const { session, warn, tell } = this.#parts;
    const isSame = before === session;
    if (!isSame) this.#forget();
    const laidIn = isSame ? undefined : this.#copies?.layIn();
    this.#hasServed = true;
    if (isSame) warn('this replica is the home of what clients store again, and has what it had');
    else if (before !== undefined || laidIn !== undefined) {
      const how =
        laidIn ?? 'it begins with the configuration, and what they had stored on the one before is lost';
      warn(`this replica is the home of what clients store now: ${how}`);
    }
    this.#copies?.begin();
    tell();
    this.ports.wake();
  }

  #lost(reason: string): void {
    this.#copies?.end();
    const count = this.ports.closeAnswered();
    this.#parts.warn(
      `this replica is the home of what clients store no more: ${reason}; ${count} connections are closed`,
    );
    this.#parts.tell();
  }

  /** Another one is the home: what is here is of before. */
  #forget(): void {
    if (!this.#hasServed) return;
    this.#hasServed = false;
    this.#host?.forgetStored();
  }
}
