import type { Connection } from '@backlot/kit';

/** How a session ends. */
export type Ending = 'done' | 'error' | 'going away' | 'too much';

/** What a session needs of what carries its bytes: a plain connection, or a WebSocket. */
export interface Transport {
  /** For timers, and for what its end causes; bytes go through the transport. */
  readonly connection: Connection;
  /** Whether reading is held up, by {@link pause} or by a client that does not read its answers. */
  readonly isPaused: boolean;
  /** Whether a client that does not read holds up what is sent by {@link write}. */
  readonly isChoked: boolean;
  /** Whether nothing can be sent any more. */
  readonly isEnded: boolean;
  /** Starts reading. */
  onData(listener: (chunk: Buffer) => void): void;
  /** Nothing holds the session up any more: reading goes on, and {@link write} waits for nobody. */
  onResume(listener: () => void): void;
  /** Sends what the client waits for; when it does not read, reading is paused. */
  write(frame: Buffer, isText: boolean): void;
  /** Sends what the client did not just ask for; one that leaves too much unread is cut off. */
  push(frame: Buffer, isText: boolean): void;
  /** The client has logged in: from now on it may send more than a login needs. */
  connected(): void;
  /**
   * Lets other connections in when handling what this one sent has taken long: it is paused then, until the listener of
   * {@link onResume} is called.
   *
   * @returns whether to stop for now
   */
  yieldWhenLong(): boolean;
  pause(): void;
  resume(): void;
  /** Sends what waits, then closes. */
  end(how: Ending): void;
}

/** A client that has read nothing for so long, in ms, while something waits for it, is cut off. */
export const STALL_LIMIT = 30_000;

/** What may wait for a subscriber of a topic, in bytes: whoever reads is never cut for a message of the usual greatest size and the next one. */
export const MAX_UNREAD = 32 * 1024 * 1024;
