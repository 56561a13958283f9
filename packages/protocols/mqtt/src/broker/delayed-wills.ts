import type { Clock, Waiting } from '@backlot/core/plugin';

/** So many wills may wait; further ones are published at once. */
const MAX_WAITING = 10_000;

interface Delayed {
  readonly publish: () => void;
  readonly waiting: Waiting;
}

/** Wills whose client may still come back in time (MQTT 5, section 3.1.3.2.2), by client id. */
export class DelayedWills {
  readonly #clock: Clock;
  readonly #byClient = new Map<string, Delayed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Publishes later; at once when too many wait. */
  delay(clientId: string, milliseconds: number, publish: () => void): void {
    this.publishNow(clientId);
    if (this.#byClient.size >= MAX_WAITING) {
      publish();
      return;
    }
    const waiting = this.#clock.after(milliseconds, () => {
      this.#byClient.delete(clientId);
      publish();
    });
    this.#byClient.set(clientId, { publish, waiting });
  }

  /** The client is back: the will of its session is not published. */
  cancel(clientId: string): void {
    this.#byClient.get(clientId)?.waiting.cancel();
    this.#byClient.delete(clientId);
  }

  /** The session has ended: its will waits no longer. */
  publishNow(clientId: string): void {
    const delayed = this.#byClient.get(clientId);
    this.cancel(clientId);
    delayed?.publish();
  }

  clear(): void {
    for (const { waiting } of this.#byClient.values()) waiting.cancel();
    this.#byClient.clear();
  }
}
