import type { Connection, Timer } from '@backlot/kit';
import { MAX_PACKET } from '../wire/packet-framer.js';

/** What may wait for a client, in bytes: whoever reads is never cut for a message of the greatest size and the next one. */
export const MAX_UNREAD = 2 * MAX_PACKET;

/** A stream of bytes to and from a client, over TCP or WebSocket. */
export interface Transport {
  /** What carries it; bytes go through the transport. */
  readonly connection: Connection;
  /** The client as `address:port`. */
  readonly remote: string;
  onData(listener: (chunk: Buffer) => void): void;
  /** Bytes that wait for the client to read them. */
  readonly buffered: number;
  /** All that waited has left. */
  onDrain(listener: () => void): void;
  /** The connection is gone. */
  onClose(listener: () => void): void;
  /** Sends; a client that leaves too much unread is cut. */
  push(bytes: Buffer): void;
  /** Closes once what waits is sent. */
  end(): void;
  /** Closes at once. */
  destroy(): void;
  /**
   * Lets other connections in when handling what this one sent has taken long. Nothing more is read then until the listener
   * of {@link onGoOn} is called.
   *
   * @returns whether to stop for now
   */
  yieldWhenLong(): boolean;
  /** What was stopped for {@link yieldWhenLong} may go on. */
  onGoOn(listener: () => void): void;
  pause(): void;
  resume(): void;
  /** Calls back unless the connection is gone by then. */
  after(milliseconds: number, callback: () => void): Timer;
  /** Wraps a callback: when it throws, this connection ends and no other. */
  isolate<A extends unknown[]>(callback: (...values: A) => unknown): (...values: A) => void;
}
