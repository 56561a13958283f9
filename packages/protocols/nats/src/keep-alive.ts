import type { Connection } from '@backlot/kit';

/** When a silent client is asked, and when it is given up. */
export interface KeepAliveSettings {
  /** Milliseconds; 0: never. */
  readonly pingInterval: number;
  readonly pingMax: number;
}

/** Asks a client that sends nothing whether it is still there (NATS client protocol, "PING/PONG"). */
export class KeepAlive {
  #unanswered = 0;
  #lastRead: number;

  constructor(
    connection: Connection,
    { pingInterval, pingMax }: KeepAliveSettings,
    actions: { readonly ping: () => void; readonly stale: () => void },
  ) {
    this.#lastRead = connection.socket.bytesRead;
    if (pingInterval <= 0) return;
    connection.every(pingInterval, () => {
      const read = connection.socket.bytesRead;
      const isSilent = read === this.#lastRead && !connection.isPaused;
      this.#lastRead = read;
      if (connection.isEnded) return;
      if (!isSilent) this.#unanswered = 0;
      else if (this.#unanswered >= pingMax) actions.stale();
      else {
        this.#unanswered += 1;
        actions.ping();
      }
    });
  }

  /** A PONG has come. */
  answered(): void {
    this.#unanswered = 0;
  }
}
