import type { Connection } from '@backlot/kit';
import type { HeartBeat } from './handshake.js';
import type { Writer } from './writer.js';

/** What heart-beats need of their session. */
export interface HeartBeatOptions {
  readonly interval: HeartBeat;
  readonly writer: Writer;
  /** Whether what the client sends is being read; while it is not, its silence means nothing. */
  readonly isReading: () => boolean;
  /** The client has been silent for too long. */
  readonly onSilence: () => void;
}

/** Silent intervals of the client after which it counts as gone: the standard asks for some patience. */
const PATIENCE = 2;

/** The heart-beats of one session, in both directions and in real time. */
export class HeartBeats {
  #hasReceived = false;
  #silent = 0;

  constructor(connection: Connection, { interval, writer, isReading, onSilence }: HeartBeatOptions) {
    const { sends, expects } = interval;
    // Looks twice in each interval, so that no silence of this end is longer than one.
    if (sends > 0) {
      connection.every(sends / 2, () => {
        if (!writer.hasSent) writer.beat();
        writer.hasSent = false;
      });
    }
    if (expects > 0) {
      connection.every(expects, () => {
        this.#silent = this.#hasReceived || !isReading() ? 0 : this.#silent + 1;
        this.#hasReceived = false;
        if (this.#silent >= PATIENCE) onSilence();
      });
    }
  }

  /** Bytes have been received. */
  received(): void {
    this.#hasReceived = true;
  }
}
