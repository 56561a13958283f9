import { basic } from '../wire/classes/basic.js';
import type { Channel } from './channel.js';

/** The confirms of a channel. Those that come together are sent as one. */
export class Confirms {
  readonly #channel: Channel;
  #published = 0;
  #acked = 0;
  #isOne = true;
  #isPending = false;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** The number of the next message. */
  next(): number {
    this.#published += 1;
    return this.#published;
  }

  /** The broker has taken care of a message. Messages are confirmed in their order. */
  ack(number: number): void {
    if (this.#isPending) {
      this.#isOne = false;
      this.#acked = number;
      return;
    }
    this.#isPending = true;
    this.#isOne = true;
    this.#acked = number;
    queueMicrotask(this.#channel.session.connection.isolate(() => this.flush()));
  }

  /** The broker could not take care of a message. */
  nack(number: number): void {
    this.flush();
    this.#channel.send(basic.nack, { deliveryTag: number, multiple: false, requeue: false });
  }

  /** Sends what waits. */
  flush(): void {
    if (!this.#isPending) return;
    this.#isPending = false;
    this.#channel.send(basic.ack, { deliveryTag: this.#acked, multiple: !this.#isOne });
  }
}
