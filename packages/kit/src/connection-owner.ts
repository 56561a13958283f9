import type { Socket } from 'node:net';
import type { ListenAddress } from '@backlot/core/plugin';
import type { IdleWatch } from './idle-watch.js';
import type { TlsAcceptor } from './tls-acceptor.js';
import type { StreamToxics } from './toxics/stream-toxics.js';

/** Limits on the bytes that wait to be sent to one client. */
export interface BufferLimits {
  /** When more bytes than this wait, reading is paused until all are sent. Default 128 KiB. */
  readonly highWater?: number;
  /** A {@link Connection.push} while more bytes than this wait cuts the connection. Default 1 MiB. */
  readonly maxBuffered?: number;
  /** A {@link Connection.write} while more bytes than this wait cuts the connection. Default 64 MiB. */
  readonly maxAnswers?: number;
}

/** A server of a library, such as node:http's, that takes sockets which it has not accepted itself. */
export interface SocketTaker {
  emit(event: 'connection', socket: Socket): unknown;
}

/** What a connection (`C`) needs of the server that accepted it. */
export interface ConnectionOwner<C> {
  /** Where the server listens, while it does. */
  readonly place: ListenAddress | undefined;
  readonly tls: TlsAcceptor | undefined;
  readonly idle: IdleWatch;
  /** Undefined before the first toxic of connections is set. */
  readonly toxics: StreamToxics | undefined;
  readonly allowHalfOpen: boolean;
  readonly limits: Required<BufferLimits>;
  /** Told what a callback of the connection threw. */
  failed(error: unknown, connection: C): void;
  /** The connection uses this socket from now on. */
  adopted(socket: Socket, connection: C): void;
  closed(connection: C): void;
  /** It has a connection from now on that another server had. */
  taken(connection: C, raw: Socket): void;
  /** Another server has it from now on. */
  released(connection: C, raw: Socket): void;
  /** Sends the last words of the protocol, where it has some. */
  sayGoodbye(connection: C): void;
}
