import net from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { invalid } from '@backlot/core/plugin';
import type { ConnectionFollower, ListenAddress } from '@backlot/core/plugin';
import { formatAddress, plainAddress } from './address.js';
import type { ConnectionOwner } from './connection-owner.js';
import { Connection } from './connection.js';
import { endInTurns } from './end-in-turns.js';
import { IdleWatch } from './idle-watch.js';
import { startOnOnePort } from './listen-addresses.js';
import { noteOpened } from './open-connections.js';
import {
  DEFAULT_LIMITS,
  type Admission,
  type StreamErrorPlace,
  type StreamLimits,
  type StreamServer,
  type StreamServerOptions,
} from './stream-options.js';
import { TlsAcceptor } from './tls-acceptor.js';
import { readByStreams } from './toxics/beneath.js';
import { StreamToxics } from './toxics/stream-toxics.js';
import { timers } from './timers.js';
import { resetSocket } from './reset-socket.js';

const GRACE = 2000;
// A client that is only waiting closes its end at once; a stop should not wait long for one that does not.
const STOP_LINGER = 250;

/** Makes a server for connections; it listens once it is started. */
export function createStreamServer(options: StreamServerOptions): StreamServer {
  return new NetStreamServer(options);
}

/** What is closed at a stop. */
interface Listener {
  close(closed: () => void): unknown;
}

class NetStreamServer implements StreamServer, ConnectionOwner<Connection> {
  readonly wanted: ListenAddress;
  readonly limits: Required<StreamLimits>;
  readonly allowHalfOpen: boolean;
  readonly idle: IdleWatch;
  readonly tls: TlsAcceptor | undefined;
  toxics: StreamToxics | undefined;
  readonly #options: StreamServerOptions;
  readonly #listeners = new Set<Listener>();
  readonly #sockets = new Set<Socket>();
  readonly #open = new Set<Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  #place: ListenAddress | undefined;
  /** Who is told of connections; undefined while nobody is. */
  #followers: Set<ConnectionFollower> | undefined;
  /** How many connections were taken. */
  #taken = 0;
  #stopping: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;
  #unfollow: (() => void) | undefined;

  constructor(options: StreamServerOptions) {
    this.#options = options;
    this.wanted = { host: options.host, port: options.port };
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.allowHalfOpen = options.allowHalfOpen === true;
    this.idle = new IdleWatch((error) => this.#report(error, 'connection'));
    this.tls = options.tls && new TlsAcceptor(options.tls, this.limits.handshakeTimeout, options.tlsFault);
    this.#followToxics();
  }

  get connections(): number {
    return this.#sockets.size;
  }

  get place(): ListenAddress | undefined {
    return this.#place;
  }

  get open(): Iterable<Connection> {
    return this.#open;
  }

  start(port?: number): Promise<ListenAddress> {
    return startOnOnePort([this], port);
  }

  async prepare(): Promise<void> {
    if (this.#place !== undefined) throw invalid('the server has been started already; stop it first');
    this.#followToxics();
    await this.tls?.prepare();
  }

  bind(address: string, port: number): Promise<number> {
    const { ports } = this.#options;
    return ports === undefined ? this.#listen(address, port) : this.#listenTogether(ports, address, port);
  }

  /** Listens by what several processes have their ports of, which also accepts. */
  async #listenTogether(
    ports: NonNullable<StreamServerOptions['ports']>,
    address: string,
    port: number,
  ): Promise<number> {
    const shared = await ports.listen(address, port, (socket, isByStreams) => {
      if (isByStreams === true) readByStreams(socket);
      // As a listener of its own would have made it.
      socket.allowHalfOpen = true;
      if (this.#options.noDelay !== false) socket.setNoDelay(true);
      this.#accept(socket);
    });
    this.#listeners.add({ close: (closed) => void shared.close().then(closed) });
    return shared.port;
  }

  #listen(address: string, port: number): Promise<number> {
    // Half-open sockets, so that a client which ends its side still gets the answers being made.
    const listener = net.createServer({ allowHalfOpen: true, noDelay: this.#options.noDelay !== false });
    return new Promise((resolve, reject) => {
      listener.once('error', reject);
      // A worker of node:cluster would otherwise have it of another process.
      listener.listen({ host: address, port, exclusive: true }, () => {
        listener.off('error', reject);
        this.#listeners.add(listener);
        this.#watch(listener, address);
        resolve((listener.address() as AddressInfo).port);
      });
      listener.on('connection', (socket) => this.#accept(socket));
    });
  }

  async renew(): Promise<(() => void) | undefined> {
    return this.tls?.renew();
  }

  started(place: ListenAddress): void {
    this.#place = place;
  }

  release(): Promise<void> {
    return this.stop(0);
  }

  stop(graceMs = GRACE): Promise<void> {
    this.#stopping ??= this.#stop(graceMs).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  track(socket: Socket): Connection {
    this.#hold(socket);
    return this.#openConnection(socket, socket);
  }

  connectionOf(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  failed(error: unknown, connection: Connection): void {
    this.#report(error, 'connection', connection);
  }

  adopted(socket: Socket, connection: Connection): void {
    this.#bySocket.set(socket, connection);
  }

  closed(connection: Connection): void {
    if (this.#open.delete(connection) && this.#followers !== undefined) this.#tell('closed', connection);
  }

  follow(follower: ConnectionFollower): () => void {
    this.#followers = (this.#followers ?? new Set<ConnectionFollower>()).add(follower);
    return () => {
      this.#followers?.delete(follower);
      if (this.#followers?.size === 0) this.#followers = undefined;
    };
  }

  #tell(event: 'opened' | 'closed', { remote }: Connection): void {
    for (const follower of [...(this.#followers ?? [])]) follower(event, remote);
  }

  released(connection: Connection, raw: Socket): void {
    this.#open.delete(connection);
    this.#forget(raw);
  }

  takeOver(connection: Connection, serve: () => unknown): void {
    connection.moveTo(this, serve);
  }

  taken(connection: Connection, raw: Socket): void {
    this.#hold(raw);
    this.#open.add(connection);
    this.#bySocket.set(raw, connection).set(connection.socket, connection);
    this.#taken += 1;
    noteOpened(connection, this.#taken, raw);
    connection.setIdleTimeout(this.limits.idleTimeout);
    if (this.#stopping !== undefined) connection.destroy();
  }

  sayGoodbye(connection: Connection): void {
    this.#options.onStopping?.(connection);
  }

  /** The first toxic reaches the connections that there are; of one in its TLS handshake when that is done. */
  #followToxics(): void {
    const feed = this.#options.toxics;
    if (feed === undefined || this.#unfollow !== undefined) return;
    const follow = (): void => {
      if (this.toxics !== undefined) return this.toxics.update();
      if (!feed.current.some((toxic) => toxic.onStreams)) return;
      this.toxics = new StreamToxics(feed);
      for (const connection of [...this.#open]) connection.adoptInto(this.toxics);
    };
    this.#unfollow = feed.follow(follow);
    follow();
  }

  #watch(listener: Server, address: string): void {
    let last: Error | undefined;
    listener.on('error', (error) => {
      last = error;
      if (listener.listening) this.#report(error, 'accept');
    });
    listener.once('close', () => {
      if (!this.#listeners.delete(listener)) return;
      const where = formatAddress(address, this.#place?.port ?? 0);
      this.#options.onFailure?.(last ?? new Error(`the listener on ${where} was closed`));
    });
  }

  #accept(raw: Socket): void {
    if (this.#stopping !== undefined || this.#sockets.size >= this.limits.maxConnections) {
      raw.destroy();
      return;
    }
    endInTurns(raw);
    this.#hold(raw);
    if (this.toxics?.take(raw) === false) return;
    const { admit } = this.#options;
    if (admit === undefined) return this.#greet(raw);
    const remote = formatAddress(plainAddress(raw.remoteAddress ?? ''), raw.remotePort ?? 0);
    try {
      const admission = admit(remote);
      if (admission?.delay === undefined) return this.#admit(raw, admission);
      admission.delay.then(
        () => this.#admit(raw, admission),
        (error: unknown) => this.#turnAway(raw, error, 'admit'),
      );
    } catch (error) {
      this.#turnAway(raw, error, 'admit');
    }
  }

  #admit(raw: Socket, admission: Admission | undefined): void {
    if (raw.destroyed) return;
    if (admission?.reset === true) resetSocket(raw);
    else if (admission?.refuse === true) raw.destroy();
    else this.#greet(raw);
  }

  #greet(raw: Socket): void {
    if (this.tls?.isImplicit !== true) {
      this.#begin(raw, raw);
      return;
    }
    this.tls.secure(raw, this.toxics?.beneath(raw)).then(
      (secured) => this.#begin(raw, secured),
      (error: unknown) => this.#turnAway(raw, error, 'tls'),
    );
  }

  #begin(raw: Socket, socket: Socket): void {
    if (raw.destroyed || this.#stopping !== undefined) {
      raw.destroy();
      return;
    }
    const connection = this.#openConnection(raw, socket);
    connection.setIdleTimeout(this.limits.idleTimeout);
    connection.isolate(this.#options.onConnection)(connection);
  }

  #openConnection(raw: Socket, socket: Socket): Connection {
    const connection = new Connection(this, raw, socket);
    this.#open.add(connection);
    this.#bySocket.set(raw, connection);
    this.#taken += 1;
    noteOpened(connection, this.#taken, raw);
    if (this.#followers !== undefined) this.#tell('opened', connection);
    if (this.toxics !== undefined) connection.adoptInto(this.toxics);
    return connection;
  }

  #hold(raw: Socket): void {
    this.#sockets.add(raw);
    raw.on('error', ignore);
    raw.once('close', () => this.#forget(raw));
  }

  #forget(raw: Socket): void {
    this.#sockets.delete(raw);
    if (this.#sockets.size === 0) this.#onEmpty?.();
  }

  #turnAway(raw: Socket, error: unknown, where: StreamErrorPlace): void {
    raw.destroy();
    if (this.#stopping === undefined) this.#report(error, where);
  }

  #report(error: unknown, where: StreamErrorPlace, connection?: Connection): void {
    try {
      this.#options.onError?.(error, where, connection);
    } catch {
      // It was the report itself that failed: nobody is left to tell, and one connection must not end the process.
    }
  }

  async #stop(graceMs: number): Promise<void> {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.toxics?.stop();
    const closed = listeners.map(
      (listener) => new Promise<void>((resolve) => listener.close(() => resolve())),
    );
    for (const connection of this.#open) {
      const { onStopping } = this.#options;
      if (onStopping !== undefined && graceMs > 0) connection.isolate(onStopping)(connection);
      connection.endWhenIdle(Math.min(STOP_LINGER, graceMs));
    }
    for (const socket of this.#sockets) if (!this.#bySocket.has(socket)) socket.destroy();
    if (this.#sockets.size > 0) {
      const empty = new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
      const timer = timers.after(graceMs, () => this.#cutAll());
      await empty;
      timer.cancel();
      this.#onEmpty = undefined;
    }
    await Promise.all(closed);
    this.idle.stop();
    this.toxics = undefined;
    this.#place = undefined;
  }

  #cutAll(): void {
    for (const connection of this.#open) connection.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

function ignore(): void {
  // Errors of a socket end it, and reach the connection's onClose.
}
