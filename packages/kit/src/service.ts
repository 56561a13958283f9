import {
  messageOf,
  type ListenAddress,
  type Log,
  type Service,
  type ServiceStatus,
  type TlsSettings,
} from '@backlot/core/plugin';
import { admitBy, type ConnectFaults, type DelayClock } from './admit-by.js';
import type { Connection } from './connection.js';
import { createDatagramServer, type DatagramServer, type DatagramServerOptions } from './datagram-server.js';
import { isFramingError } from './framing/framing-error.js';
import { startOnOnePort } from './listen-addresses.js';
import { isNetworkError } from './network-error.js';
import type { StreamErrorPlace, StreamLimits, StreamServer } from './stream-options.js';
import { createStreamServer } from './stream-server.js';
import type { StreamTls } from './tls-acceptor.js';

/** What a service reads of a protocol's context. */
export interface ServiceContext {
  readonly config: { readonly host: string; readonly port: number; readonly tls?: TlsSettings };
  readonly clock: DelayClock;
  /** Absent for a kind without faults: then every connection is taken. */
  readonly faults?: ConnectFaults;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** How a service takes connections. */
export interface StreamPart {
  /** Takes a connection; with implicit TLS once the handshake is done. */
  readonly onConnection: (connection: Connection) => unknown;
  /** Told of every connection when the service stops, before it is ended: the place to say goodbye. */
  readonly onStopping?: (connection: Connection) => unknown;
  readonly limits?: StreamLimits;
  /** True: a client that has ended its side stays connected until the protocol ends the connection. Default false. */
  readonly allowHalfOpen?: boolean;
  /** How TLS begins where the configuration does not say. Default `implicit`. */
  readonly tlsMode?: 'implicit' | 'starttls';
  /** Application protocols offered by ALPN (RFC 7301), the preferred one first. */
  readonly alpnProtocols?: readonly string[];
  /** TLS in place of what the configuration says; `undefined` for none. */
  readonly tls?: StreamTls | undefined;
  /** Whether an error that ended a connection is the client's doing, and so no line in the log. */
  readonly isClientError?: (error: unknown) => boolean;
}

/** How a service takes datagrams; see {@link DatagramServerOptions}. */
export type DatagramPart = Pick<DatagramServerOptions, 'onMessage' | 'receiveBuffer'>;

/** What a service is made of: at least one of `stream` and `datagram`; both share one port. */
export interface ServiceOptions {
  readonly stream?: StreamPart;
  readonly datagram?: DatagramPart;
  /** Called before it listens. Where it is given and listening fails, `onStopped` follows. */
  readonly onStarting?: () => unknown;
  /** It listens now. */
  readonly onStarted?: (listening: ListenAddress) => void;
  /** Called before connections are ended. */
  readonly onStopping?: (graceMilliseconds: number) => unknown;
  /** Called when nothing is open any more. */
  readonly onStopped?: () => unknown;
  readonly reset?: () => void;
  /** Further fields of the status. */
  readonly describe?: () => Readonly<Record<string, unknown>>;
}

/** A running listener of a protocol. */
export interface ListenerService extends Service {
  /** Where it listens, while it does. */
  readonly place: ListenAddress | undefined;
  /** How many connections there are, those in their handshake included. */
  readonly connections: number;
  /** For datagrams that answer nothing; see {@link DatagramServer.send}. */
  send(data: Uint8Array, port: number, address: string): boolean;
  reset(): void;
  status(): ServiceStatus;
}

/**
 * Makes the service of a protocol that listens: for connections (with TLS and connect faults as the configuration has
 * them), for datagrams, or for both on one port. What clients do wrong in a handshake, bytes that cannot be right and
 * networks that fail end a connection; only what a handler threw otherwise is an error of the kind.
 */
export function createService(context: ServiceContext, options: ServiceOptions): ListenerService {
  return new KitService(context, options);
}

/** The TLS settings of a configuration; `undefined` when it has none, or they are switched off. */
export function activeTls(config: { readonly tls?: TlsSettings }): TlsSettings | undefined {
  return config.tls === undefined || config.tls.enabled === false ? undefined : config.tls;
}

class KitService implements ListenerService {
  readonly #options: ServiceOptions;
  readonly #streams: StreamServer | undefined;
  readonly #datagrams: DatagramServer | undefined;
  readonly #log: ServiceContext['log'];
  readonly #hasTls: boolean;
  #error: string | undefined;

  constructor(context: ServiceContext, options: ServiceOptions) {
    this.#options = options;
    this.#log = context.log;
    this.#hasTls = activeTls(context.config) !== undefined;
    this.#streams = options.stream && this.#createStreams(context, options.stream);
    this.#datagrams = options.datagram && this.#createDatagrams(context, options.datagram);
  }

  get place(): ListenAddress | undefined {
    return (this.#streams ?? this.#datagrams)?.place;
  }

  get connections(): number {
    return this.#streams?.connections ?? 0;
  }

  async start(port: number): Promise<ListenAddress> {
    const { onStarting, onStarted, onStopped } = this.#options;
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
    await this.#options.onStopped?.();
  }

  reset(): void {
    this.#options.reset?.();
  }

  status(): ServiceStatus {
    const extra = this.#options.describe?.();
    return {
      ...(this.#streams && { connections: this.#streams.connections, tls: this.#hasTls }),
      ...(extra && { extra }),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  send(data: Uint8Array, port: number, address: string): boolean {
    return this.#datagrams?.send(data, port, address) ?? false;
  }

  #createStreams({ config, faults, clock }: ServiceContext, stream: StreamPart): StreamServer {
    const { alpnProtocols, isClientError, tlsMode = 'implicit', ...rest } = stream;
    const settings = activeTls(config);
    const configured = settings && { mode: tlsMode, ...settings, ...(alpnProtocols && { alpnProtocols }) };
    return createStreamServer({
      ...rest,
      host: config.host,
      port: config.port,
      tls: 'tls' in stream ? stream.tls : configured,
      ...(faults && { admit: admitBy(faults, clock) }),
      onError: (error, where, connection) => {
        if (isClientError?.(error) !== true) this.#report(error, where, connection);
      },
      onFailure: this.#listenerDied,
    });
  }

  #createDatagrams({ config }: ServiceContext, datagram: DatagramPart): DatagramServer {
    return createDatagramServer({
      ...datagram,
      host: config.host,
      port: config.port,
      onError: (error, where) => {
        // A client that has gone away makes sending fail, which is no news.
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
