import { timers, type Timer } from '@backlot/kit';
import type { Transport } from '../transport/transport.js';

const GRACE = 1.5;

/** Cuts a client that was silent for one and a half times the interval it promised [MQTT-3.1.2-22]. */
export class KeepAlive {
  readonly #transport: Transport;
  readonly #limit: number;
  readonly #onSilence: () => void;
  #heard = timers.now();
  #isHeld = false;
  #timer: Timer | undefined;

  /** @param seconds - 0 is no limit */
  constructor(transport: Transport, seconds: number, onSilence: () => void) {
    this.#transport = transport;
    this.#limit = seconds * 1000 * GRACE;
    this.#onSilence = onSilence;
    if (seconds > 0) this.#arm(this.#limit);
  }

  /** A packet came. */
  hear(): void {
    if (this.#timer !== undefined) this.#heard = timers.now();
  }

  /** Whether nothing is read at the moment: the silence is not the client's then. */
  set isHeld(held: boolean) {
    this.#isHeld = held;
    this.hear();
  }

  #arm(milliseconds: number): void {
    this.#timer = this.#transport.after(milliseconds, () => {
      const left = this.#heard + this.#limit - timers.now();
      if (this.#isHeld) this.#arm(this.#limit);
      else if (left > 0) this.#arm(left);
      else this.#onSilence();
    });
  }
}
