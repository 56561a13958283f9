import type { Random } from '@backlot/core/plugin';
import { ProvenAddresses, timers, type Timer } from '@backlot/kit';

// RFC 7252 section 4.8.
const ACK_TIMEOUT = 2000;
const ACK_RANDOM_FACTOR = 1.5;
const MAX_RETRANSMIT = 4;
/** Messages under way at one time; beyond them a message is sent once and counts as lost. */
const MAX_ENTRIES = 10_000;

/** How a confirmable message ended. */
export type Delivery = 'acknowledged' | 'reset' | 'timeout';

interface Outgoing {
  readonly remote: string;
  readonly octets: Buffer;
  readonly send: (octets: Buffer) => void;
  readonly onEnd: (delivery: Delivery) => void;
  timer: Timer;
}

/**
 * Sends confirmable messages again until they are acknowledged, with growing pauses (RFC 7252 section 4.2). To an address
 * from which no acknowledgement has come yet, and which may be forged, of all that is under way one message is sent again,
 * once (section 11.3).
 */
export class ReliableSender {
  readonly #random: Random;
  readonly #outgoing = new Map<string, Outgoing>();
  readonly #proven = new ProvenAddresses();
  /** The unproven addresses to which a message that is under way was sent again, by the keys of these messages. */
  readonly #repeated = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random;
  }

  send(
    remote: string,
    messageId: number,
    octets: Buffer,
    send: (octets: Buffer) => void,
    onEnd: (delivery: Delivery) => void = ignore,
  ): void {
    send(octets);
    const key = keyOf(remote, messageId);
    if (this.#outgoing.size >= MAX_ENTRIES || this.#outgoing.has(key)) return onEnd('timeout');
    const pause = ACK_TIMEOUT * this.#random.float(1, ACK_RANDOM_FACTOR);
    this.#outgoing.set(key, { remote, octets, send, onEnd, timer: this.#arm(key, pause, MAX_RETRANSMIT) });
  }

  /** Takes an acknowledgement or a Reset; of what is not under way nothing happens. */
  end(remote: string, messageId: number, delivery: Delivery): void {
    const key = keyOf(remote, messageId);
    const outgoing = this.#outgoing.get(key);
    if (outgoing === undefined) return;
    // Only who has received the message knows its id.
    this.#proven.add(remote);
    outgoing.timer.cancel();
    this.#forget(key, outgoing);
    outgoing.onEnd(delivery);
  }

  stop(): void {
    for (const { timer } of this.#outgoing.values()) timer.cancel();
    this.#outgoing.clear();
    this.#repeated.clear();
    this.#proven.clear();
  }

  #arm(key: string, pause: number, left: number): Timer {
    return timers.after(
      pause,
      () => {
        const outgoing = this.#outgoing.get(key);
        if (outgoing === undefined) return;
        if (left === 0) {
          this.#forget(key, outgoing);
          outgoing.onEnd('timeout');
          return;
        }
        outgoing.timer = this.#arm(key, pause * 2, left - 1);
        if (this.#mayRepeat(key, outgoing.remote)) outgoing.send(outgoing.octets);
      },
      { unref: true },
    );
  }

  #mayRepeat(key: string, remote: string): boolean {
    if (this.#proven.has(remote)) return true;
    if (this.#repeated.has(remote)) return false;
    this.#repeated.set(remote, key);
    return true;
  }

  #forget(key: string, { remote }: Outgoing): void {
    this.#outgoing.delete(key);
    if (this.#repeated.get(remote) === key) this.#repeated.delete(remote);
  }
}

function keyOf(remote: string, messageId: number): string {
  return `${remote}#${messageId}`;
}

function ignore(): void {
  // The answer was sent as often as it may be; nobody is left to tell.
}
