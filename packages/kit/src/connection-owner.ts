import type { Socket } from 'node:net';
import type { ListenAddress } from '@backlot/core/plugin';
import type { IdleWatch } from './idle-watch.js';
import type { TlsAcceptor } from './tls-acceptor.js';

/** Limits on what waits to be sent; a client that reads slowly meets them. All in bytes. */
export interface BufferLimits {
  /** Beyond this reading is paused until all is sent. Default 128 KiB. */
  readonly highWater?: number;
  /** A {@link Connection.push} that finds more than this waiting cuts the connection. Default 1 MiB. */
  readonly maxBuffered?: number;
  /** A {@link Connection.write} that finds more than this waiting cuts the connection. Default 64 MiB. */
  readonly maxAnswers?: number;
}

/** A server of a library that takes sockets it did not accept. */
export interface SocketTaker {
  emit(event: 'connection', socket: Socket): unknown;
}

/** What a connection (`C`) needs of the server that accepted it. */
export interface ConnectionOwner<C> {
  /** Where the server listens, while it does. */
  readonly place: ListenAddress | undefined;
  readonly tls: TlsAcceptor | undefined;
  readonly idle: IdleWatch;
  readonly allowHalfOpen: boolean;
  readonly limits: Required<BufferLimits>;
  /** Told what a callback of the connection threw. */
  failed(error: unknown, connection: C): void;
  /** The connection uses this socket from now on. */
  adopted(socket: Socket, connection: C): void;
  closed(connection: C): void;
}
