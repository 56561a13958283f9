import {
  messageOf,
  type ConnectionFollower,
  type DataSection,
  type ListenAddress,
  type Log,
  type OpenConnection,
  type Publisher,
  type Service,
  type ServicePorts,
  type ServiceStatus,
  type TlsSettings,
  type ToxicFeed,
  type Upstream,
} from '@backlot/core/plugin';
import { admitBy, type ConnectFaults, type DelayClock } from './admit-by.js';
import type { Connection } from './connection.js';
import { createDatagramServer, type DatagramServer, type DatagramServerOptions } from './datagram-server.js';
import type { ConnectionEntrance } from './enter-space.js';
import { isFramingError } from './framing/framing-error.js';
import { listOpen } from './open-connections.js';
import { startOnOnePort } from './listen-addresses.js';
import { isNetworkError } from './network-error.js';
import type { StreamErrorPlace, StreamLimits, StreamServer } from './stream-options.js';
import { createStreamServer } from './stream-server.js';
import type { StreamTls } from './tls-acceptor.js';
import type { PassThrough } from './upstream/pass-through.js';

/** What a service reads of a protocol's context. */
export interface ServiceContext {
  readonly config: { readonly host: string; readonly port: number; readonly tls?: TlsSettings };
  readonly clock: DelayClock;
  /** Absent for a kind without faults: then every connection is taken. */
  readonly faults?: ConnectFaults;
  /** What is done to the bytes of its connections, and to its datagrams. */
  readonly toxics?: ToxicFeed;
  /** Listens in place of the service, where several processes have the same ports. */
  readonly ports?: ServicePorts;
  /** The real server behind it: where the plugin does not decode what passes, everything goes there as it is. */
  readonly upstream?: Upstream | undefined;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** How a service takes connections; see {@link ServiceOptions}. */
export interface StreamPart {
  /** Called for each new connection; with implicit TLS after its handshake. What it throws ends that connection. */
  readonly onConnection: (connection: Connection) => unknown;
  /**
   * Called for each open connection when the service stops, before the connection is ended: for a last message of the
   * protocol.
   */
  readonly onStopping?: (connection: Connection) => unknown;
  /**
   * Called for a connection that somebody closes with the protocol's own last words, before it is ended; `onStopping` when
   * absent.
   */
  readonly onGoodbye?: (connection: Connection) => unknown;
  /**
   * Called for a connection that came to the port of another world and was handed over by {@link enterSpace}: takes the place
   * of `onConnection`. Without it no connections are taken so.
   *
   * @param handed - what the service of the same kind that had it before has given
   */
  readonly onEntered?: (connection: Connection, handed: never) => unknown;
  readonly limits?: StreamLimits;
  /**
   * Whether a connection stays open after its client has ended its side (sent a FIN), until the plugin ends it. Default
   * false: it is ended as soon as the answers being made are written.
   */
  readonly allowHalfOpen?: boolean;
  /**
   * How TLS begins when `tls.mode` is not configured: with the first byte, or when the plugin calls `startTls`. Default
   * `implicit`.
   */
  readonly tlsMode?: 'implicit' | 'starttls';
  /** Application protocols offered by ALPN (RFC 7301), the preferred one first. */
  readonly alpnProtocols?: readonly string[];
  /**
   * TLS settings in place of the configured ones; `undefined` for no TLS. When the member is absent, the configured
   * ones are used.
   */
  readonly tls?: StreamTls | undefined;
  /** Whether an error that has ended a connection was caused by what the client sent: then nothing is logged. */
  readonly isClientError?: (error: unknown) => boolean;
}

/** How a service takes datagrams; the members are those of {@link DatagramServerOptions}. */
export type DatagramPart = Pick<DatagramServerOptions, 'onMessage' | 'isPerClient' | 'receiveBuffer'>;

/**
 * What a service is made of. Give at least one of `stream` and `datagram`; with both, connections and datagrams share
 * one port number.
 */
export interface ServiceOptions {
  readonly stream?: StreamPart;
  readonly datagram?: DatagramPart;
  /** Called before the service listens. When listening then fails, `onStopped` is called. */
  readonly onStarting?: () => unknown;
  /** Called when the service listens, with where. */
  readonly onStarted?: (listening: ListenAddress) => void;
  /** Called when the service stops, before connections are ended. */
  readonly onStopping?: (graceMilliseconds: number) => unknown;
  /** Called when every connection and every listener is closed. */
  readonly onStopped?: () => unknown;
  /** Called after core was reset or a snapshot was restored. */
  readonly reset?: () => void;
  /** Gives further fields of the service's status. */
  readonly describe?: () => Readonly<Record<string, unknown>>;
  /** The data that it holds, by the sections that the kind declares. */
  readonly data?: Readonly<Record<string, DataSection>>;
  /** Sends a message that somebody publishes from outside. */
  readonly publish?: Publisher;
  /** What its `entrance` has beside what takes connections, for requests that came to the port of another world. */
  readonly entrance?: object;
}

/** The service of a protocol that listens, as {@link createService} makes it. */
export interface ListenerService extends Service {
  /** Where it listens; undefined while it does not. */
  readonly place: ListenAddress | undefined;
  /** How many connections are open, including those in their TLS handshake. */
  readonly connections: number;
  /** Sends a datagram that answers none; see {@link DatagramServer.send}. */
  send(data: Uint8Array, port: number, address: string): boolean;
  reset(): void;
  renew(): Promise<(() => void) | undefined>;
  openConnections(): readonly OpenConnection[];
  followConnections(follower: ConnectionFollower): () => void;
  status(): ServiceStatus;
}

/**
 * Makes the service of a protocol that listens for connections, for datagrams, or for both on one port. Connections use
 * TLS as the configuration says, and the kind's faults of phase `connect` are applied to them.
 *
 * What ends a connection is logged by its cause. A TLS handshake that fails and an error of the network are not logged.
 * A {@link FramingError}, bytes that cannot be a message, is a warning. Anything else that a handler throws is an
 * error, which counts as an exception of the kind. A listener that fails after the start is an error too, and is shown
 * in the status.
 */
export function createService(context: ServiceContext, options: ServiceOptions): ListenerService {
  return new KitService(context, options);
}

/** The TLS settings of a configuration; `undefined` when it has none, or has `enabled: false` in them. */
export function activeTls(config: { readonly tls?: TlsSettings }): TlsSettings | undefined {
  return config.tls === undefined || config.tls.enabled === false ? undefined : config.tls;
}

class KitService implements ListenerService {
  readonly #options: ServiceOptions;
  readonly #streams: StreamServer | undefined;
  readonly #datagrams: DatagramServer | undefined;
  readonly #log: ServiceContext['log'];
  readonly #upstream: Upstream | undefined;
  /** Takes everything that comes in, while the service runs and its upstream is not decoded. */
  #passThrough: PassThrough | undefined;
  readonly #hasTls: boolean;
  readonly #upgrades: boolean;
  readonly data?: Readonly<Record<string, DataSection>>;
  readonly publish?: Publisher;
  readonly entrance?: object;
  #error: string | undefined;

  constructor(context: ServiceContext, given: ServiceOptions) {
    this.#upstream = context.upstream;
    const options = this.#upstream?.isDecoded === false ? this.#passing(given) : given;
    this.#options = options;
    this.#log = context.log;
    if (options.data !== undefined) this.data = options.data;
    if (options.publish !== undefined) this.publish = options.publish;
    this.#hasTls = activeTls(context.config) !== undefined;
    const { stream } = options;
    const tls = stream !== undefined && 'tls' in stream ? stream.tls : activeTls(context.config);
    // Without a mode a plugin may serve both ways, as it says by its own url.
    this.#upgrades = this.#hasTls && tls?.mode === 'starttls';
    this.#streams = options.stream && this.#createStreams(context, options.stream);
    this.#datagrams = options.datagram && this.#createDatagrams(context, options.datagram);
    const streams = this.#streams;
    const { onEntered } = stream ?? {};
    const takesConnections: ConnectionEntrance | undefined = streams &&
      onEntered && {
        takeConnection: (connection, handed) =>
          streams.takeOver(connection, () => onEntered(connection, handed as never)),
      };
    if (takesConnections !== undefined || options.entrance !== undefined)
      this.entrance = { ...takesConnections, ...options.entrance };
  }

  get place(): ListenAddress | undefined {
    return (this.#streams ?? this.#datagrams)?.place;
  }

  get connections(): number {
    return this.#streams?.connections ?? 0;
  }

  async start(port: number): Promise<ListenAddress> {
    const { onStarting, onStarted, onStopped } = this.#options;
    if (this.#upstream?.isDecoded === false) {
      const { PassThrough } = await import('./upstream/pass-through.js');
      this.#passThrough = new PassThrough(this.#upstream, this.#log, {
        streams: this.#streams !== undefined,
        datagrams: this.#datagrams !== undefined,
      });
    }
    await onStarting?.();
    // Connections first: of their ports more are taken, so that a free one for both is found sooner.
    const servers = [this.#streams, this.#datagrams].filter((server) => server !== undefined);
    try {
      const place = await startOnOnePort(servers, port);
      this.#error = undefined;
      onStarted?.(place);
      return place;
    } catch (error) {
      if (onStarting !== undefined) await onStopped?.();
      throw error;
    }
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await this.#options.onStopping?.(graceMilliseconds);
    await Promise.all([this.#streams?.stop(graceMilliseconds), this.#datagrams?.stop(graceMilliseconds)]);
    this.#passThrough?.stop();
    await this.#options.onStopped?.();
  }

  reset(): void {
    this.#options.reset?.();
  }

  async renew(): Promise<(() => void) | undefined> {
    return this.#streams?.renew();
  }

  openConnections(): readonly OpenConnection[] {
    const { onGoodbye, onStopping } = this.#options.stream ?? {};
    return this.#streams === undefined ? [] : listOpen(this.#streams.open, onGoodbye ?? onStopping);
  }

  followConnections(follower: ConnectionFollower): () => void {
    return this.#streams?.follow(follower) ?? (() => undefined);
  }

  status(): ServiceStatus {
    const extra = this.#options.describe?.();
    return {
      ...(this.#streams && { connections: this.#streams.connections, tls: this.#hasTls }),
      ...(this.#upgrades && { upgrades: true }),
      ...(extra && { extra }),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  send(data: Uint8Array, port: number, address: string): boolean {
    return this.#datagrams?.send(data, port, address) ?? false;
  }

  /** The same listeners, whose clients speak to the upstream: no words of the plugin's own go among those of the upstream. */
  #passing({ stream, datagram, ...rest }: ServiceOptions): ServiceOptions {
    const { onStopping: _stopping, onGoodbye: _goodbye, onEntered: _entered, ...kept } = stream ?? {};
    return {
      ...rest,
      ...(stream && {
        stream: { ...kept, onConnection: (connection: Connection) => this.#passThrough?.take(connection) },
      }),
      ...(datagram && {
        datagram: {
          ...datagram,
          onMessage: (...args: Parameters<DatagramPart['onMessage']>) => this.#passThrough?.receive(...args),
        },
      }),
    };
  }

  #createStreams({ config, faults, clock, toxics, ports }: ServiceContext, stream: StreamPart): StreamServer {
    const {
      alpnProtocols,
      isClientError,
      onGoodbye: _,
      onEntered: _entered,
      tlsMode = 'implicit',
      ...rest
    } = stream;
    const settings = activeTls(config);
    const configured = settings && { mode: tlsMode, ...settings, ...(alpnProtocols && { alpnProtocols }) };
    return createStreamServer({
      ...rest,
      host: config.host,
      port: config.port,
      tls: 'tls' in stream ? stream.tls : configured,
      ...(faults && { admit: admitBy(faults, clock), tlsFault: () => faults.tls }),
      ...(toxics && { toxics }),
      ports,
      onError: (error, where, connection) => {
        if (isClientError?.(error) !== true) this.#report(error, where, connection);
      },
      onFailure: this.#listenerDied,
    });
  }

  #createDatagrams({ config, toxics, ports }: ServiceContext, datagram: DatagramPart): DatagramServer {
    return createDatagramServer({
      ...datagram,
      host: config.host,
      port: config.port,
      ...(toxics && { toxics }),
      ports,
      onError: (error, where) => {
        // Sending fails when the client has gone away, which is not worth a line.
        if (where === 'message') this.#log.error('a datagram could not be answered', error);
      },
      onFailure: this.#listenerDied,
    });
  }

  #report(error: unknown, where: StreamErrorPlace, connection: Connection | undefined): void {
    // A client that fails in its TLS handshake is told by TLS itself.
    if (where === 'tls' || isNetworkError(error)) return;
    if (isFramingError(error)) this.#log.warn(`${connection?.remote ?? 'a client'}: ${error.message}`);
    else this.#log.error(`a connection failed (${where})`, error);
  }

  readonly #listenerDied = (error: Error): void => {
    this.#error = messageOf(error);
    this.#log.error('the listener has died', error);
  };
}
