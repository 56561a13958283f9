import type { Random } from '../random/random.js';

/** A toxic as it is given: what is done to the bytes of connections, or to datagrams. */
export interface NewToxic {
  /** `<type>_<stream>` when absent. */
  readonly name?: string;
  readonly type: string;
  /** `upstream`: from clients to the server. `downstream`, when absent: from the server to clients. */
  readonly stream?: 'upstream' | 'downstream';
  /** How likely it acts on a connection, or on a datagram: from 0 to 1, which is the default. */
  readonly toxicity?: number;
  readonly attributes?: Readonly<Record<string, number>>;
  /** The client that it acts on alone: an address, one with a port, or a range such as `10.0.0.0/8`. */
  readonly client?: string;
  /** How long it lasts, by the clock of the host. */
  readonly ttl?: string;
}

/** A toxic as it is stored and shown, with its defaults. */
export interface StoredToxic extends NewToxic {
  readonly name: string;
  readonly stream: 'upstream' | 'downstream';
  readonly toxicity: number;
  readonly attributes: Readonly<Record<string, number>>;
  /** When its `ttl` is over. */
  readonly expires_at?: string;
}

/** The toxics of one kind. */
export interface KindToxics {
  /** Why the running service of the kind takes none; `undefined` when it does, or does not run yet. */
  readonly refusal: string | undefined;
  /** Those that were set, in their order. */
  list(): readonly StoredToxic[];
  /** @throws BacklotError `not_found` */
  get(name: string): StoredToxic;
  /** @throws BacklotError `invalid`; `conflict` when the name is taken, or the service takes no toxics */
  add(toxic: unknown): StoredToxic;
  /** @throws BacklotError `invalid`, `not_found` */
  replace(name: string, toxic: unknown): StoredToxic;
  /** @throws BacklotError `not_found` */
  remove(name: string): void;
  clear(): void;
  /** What acts now: those that were set, and those of active scenarios, of which a later one takes the place of its name. */
  effective(): readonly StoredToxic[];
}

/** The toxics of all kinds. */
export interface ToxicCollection {
  /** Those that were set, by kind; kinds without any are left out. */
  all(): Readonly<Record<string, readonly StoredToxic[]>>;
  clearAll(): void;
}

/** A toxic in force, as the service reads it. */
export interface ActiveToxic {
  readonly name: string;
  readonly type: string;
  /** Whether its type acts on connections, and whether on datagrams. */
  readonly onStreams: boolean;
  readonly onDatagrams: boolean;
  readonly stream: 'upstream' | 'downstream';
  readonly toxicity: number;
  readonly attributes: Readonly<Record<string, number>>;
  /** Whether it acts on a client. @param remote - the address with its port, as `address:port` */
  isFor(address: string, remote: string): boolean;
}

/** The toxics that a service applies. A service that follows them takes toxics; one that does not is refused any. */
export interface ToxicFeed {
  /** Those in force. The same toxic is the same object as long as nothing of it changes. */
  readonly current: readonly ActiveToxic[];
  /** Calls back when they have changed. @returns a function that ends the subscription */
  follow(listener: () => void): () => void;
  /** A number for a connection or a datagram, by which its chance is told from that of others. */
  nextNumber(): number;
  /** The chance of a toxic for the connection or datagram with a number. */
  random(toxic: ActiveToxic, number: number): Random;
}
