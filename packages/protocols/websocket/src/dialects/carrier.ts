import type { Packet } from './dialect.js';

/** Who is told what arrives. */
export interface Receiver {
  receive(packet: Packet): void;
  /** The client has read what it was sent. */
  drained(): void;
  /** The connection is gone. @param code - the close code */
  closed(code: number, reason: string): void;
}

/** What carries the messages of a session. */
export interface Carrier {
  /** Bytes that the client has not read. */
  readonly waiting: number;
  /** Whether more was sent than the client has read: no more is to be sent now. */
  readonly isChoked: boolean;
  send(packets: readonly Packet[]): void;
  /** Resolves once {@link isChoked} is over, or {@link release} was called. */
  whenRead(): Promise<void>;
  release(): void;
  /** Reads no more until {@link free}. */
  hold(): void;
  free(): void;
  /** Closes with a close code, once all that was sent is there. */
  close(code: number, reason: string): void;
  /** Closes at once. */
  destroy(): void;
  /** Work is under way that the end of the server waits for, and no more. */
  busy(): void;
  idle(): void;
  /** A function whose errors end this connection alone. */
  isolate<A extends unknown[]>(fn: (...args: A) => unknown): (...args: A) => void;
}
