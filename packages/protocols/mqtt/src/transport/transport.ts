import type { Timer } from '@backlot/kit';
import { MAX_PACKET } from '../wire/packet-framer.js';

/** What may wait for a client, in bytes: whoever reads is never cut for a message of the greatest size and the next one. */
export const MAX_UNREAD = 2 * MAX_PACKET;

/** A stream of bytes to and from a client, over TCP or WebSocket. */
export interface Transport {
  /** The client as `address:port`. */
  readonly remote: string;
  onData(listener: (chunk: Buffer) => void): void;
  /** The connection is gone. */
  onClose(listener: () => void): void;
  /** Sends; a client that leaves too much unread is cut. */
  push(bytes: Buffer): void;
  /** Closes once what waits is sent. */
  end(): void;
  /** Closes at once. */
  destroy(): void;
  pause(): void;
  resume(): void;
  /** Calls back unless the connection is gone by then. */
  after(milliseconds: number, callback: () => void): Timer;
  /** Wraps a callback: when it throws, this connection ends and no other. */
  isolate<A extends unknown[]>(callback: (...values: A) => unknown): (...values: A) => void;
}
