import type { DataSection, Publisher } from './data.js';
import type { Json } from './json.js';

/** Where a server listens, or is asked to listen. */
export interface ListenAddress {
  /** A host name or an IP literal; `localhost` means 127.0.0.1 and, where the machine has it, ::1. */
  readonly host: string;
  /** 1 to 65535; 0, where an address is asked for, stands for any free port. */
  readonly port: number;
}

/** The running server of a kind, which a protocol's `create` makes. */
export interface Service {
  /**
   * Starts listening. When the default port of the kind is in use and neither a configuration, a flag nor an embedder
   * has chosen it, core calls this once more with 0.
   *
   * @param port - the port to listen on; 0 takes a free one
   * @returns where it listens
   * @throws BacklotError `port_in_use` when the port is taken; no listener is left behind
   */
  start(port: number): Promise<ListenAddress>;
  /** What a service that shares the listener of another kind takes of it, for `admit` of the service of that kind. */
  readonly guest?: unknown;
  /**
   * Takes in a service that shares this listener; called before the start, once for each. It is handed what no mock of
   * this kind takes, and is stopped before this one.
   */
  admit?(guest: unknown): void;
  /**
   * What takes connections or requests that came to the port of another world and are meant for this one: see `spaces` of the
   * context. Only the plugin itself knows what it is.
   */
  readonly entrance?: unknown;
  /** Takes no more connections, lets answers that have begun end within the grace, and then closes what is left. */
  stop(graceMilliseconds: number): Promise<void>;
  /**
   * Called after core was reset or a snapshot was restored: ends open streams normally, and drops data of connections
   * that is not part of snapshots. Connections stay open.
   */
  reset?(): void;
  /**
   * Reads again what its settings name and may have been written anew, such as the files of certificates, and changes nothing yet.
   *
   * @returns takes it for connections from then on, while those that are open stay; undefined when nothing is new
   * @throws BacklotError `invalid` when what is read cannot be taken
   */
  renew?(): Promise<(() => void) | undefined>;
  /** The connections that are open now; absent for a service that only has datagrams. */
  openConnections?(): readonly OpenConnection[];
  /**
   * Calls back with each connection that is opened or closed; absent for a service that only has datagrams.
   *
   * @returns a function that ends it
   */
  followConnections?(follower: ConnectionFollower): () => void;
  /** The data that it holds, by the names of the sections that the kind declares. */
  readonly data?: Readonly<Record<string, DataSection>>;
  /** Sends a message as if a client had; there when the kind declares `publish`. */
  publish?: Publisher;
  /**
   * Sends or makes something that has passed the schema; there when the kind declares `emits`.
   *
   * @returns what became of it
   * @throws BacklotError `invalid`, `not_found`, `send_failed`
   */
  emit?(message: Json): Json | Promise<Json>;
  /**
   * Settings that its recordings need beside them, such as types that were learned from the upstream: they are exported together.
   */
  recordedSettings?(): Json;
  /** What `GET /api/protocols` shows of it. */
  status?(): ServiceStatus;
}

/**
 * How a connection is closed: `end` closes it in the ordinary way once what waits was sent, `reset` with a TCP RST, and
 * `goodbye` with the protocol's own last words, where it has some, once the answers being made are sent.
 */
export type Farewell = 'end' | 'reset' | 'goodbye';

/** Is told of a connection: whether it was opened or closed, and the address and port of the client. */
export type ConnectionFollower = (event: 'opened' | 'closed', remote: string) => void;

/** One open connection of a service. */
export interface OpenConnection {
  /** Names it among those that the service has had. */
  readonly id: string;
  /** The address and port of the client. */
  readonly remote: string;
  /** Milliseconds of real time since it was taken. */
  readonly ageMilliseconds: number;
  /** Bytes that came over it and went out on it, those of TLS included. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Who has logged in. */
  readonly user?: string;
  /** What the client calls itself. */
  readonly client?: string;
  /** What it listens to. */
  readonly subscriptions?: readonly string[];
  /** @returns whether it was still to be closed */
  close(how: Farewell): boolean;
}

/** A listener that a service has beside its own, on a port of its own. */
export interface FurtherListener {
  /** Names it among all kinds and listeners: `schema-registry`. Programs find it by `SCHEMA_REGISTRY_URL` and the like. */
  readonly name: string;
  readonly address: ListenAddress;
  /** The url by which clients on this machine connect. */
  readonly url: string;
}

/** What a service reports for `GET /api/protocols`. */
export interface ServiceStatus {
  /** How many connections are open. */
  readonly connections?: number;
  /** Whether its listener uses TLS. */
  readonly tls?: boolean;
  /** Whether clients begin in the clear and ask for TLS later (STARTTLS), so that the url has no scheme of TLS. */
  readonly upgrades?: boolean;
  /** Why its listener has failed after the start; absent while it listens. */
  readonly error?: string;
  /** Listeners beside its own, while they listen. */
  readonly beside?: readonly FurtherListener[];
  /** Further fields to show, such as a path. */
  readonly extra?: Readonly<Record<string, unknown>>;
}
