import type { Socket } from 'node:net';
import { Outbox } from './outbox.js';

/** What the parts of a connection share. */
export interface ConnectionState {
  /** The TLS socket when the connection is encrypted, else the TCP socket. */
  socket: Socket;
  readonly outbox: Outbox;
  /** Whether this side has ended the connection, or it is closed. */
  isEnded: boolean;
  /** Whether it is closed on both sides. */
  isClosed: boolean;
  /** Whether a library reads and writes. */
  isHandedOver: boolean;
  /** Whether that library reads and writes the socket by its handle, past its streams. */
  isReadByHandle: boolean;
}

/** The state of a connection that was just accepted. */
export function openState(socket: Socket): ConnectionState {
  return {
    socket,
    outbox: new Outbox(socket),
    isEnded: false,
    isClosed: false,
    isHandedOver: false,
    isReadByHandle: false,
  };
}
