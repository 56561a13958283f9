import { basic } from '../wire/classes/basic.js';
import type { ArgumentsOf, Fields, Method } from '../wire/method.js';
import type { ConnectionContext } from './connection-context.js';

/** The channel that confirms are sent on. */
interface ConfirmingChannel {
  readonly connection: Pick<ConnectionContext, 'isolate'>;
  send<F extends Fields>(method: Method<F>, values: ArgumentsOf<F>): void;
}

/** The confirms of a channel. Those that come together are sent as one. */
export class Confirms {
  readonly #channel: ConfirmingChannel;
  #published = 0;
  #acked = 0;
  #isOne = true;
  #isPending = false;

  constructor(channel: ConfirmingChannel) {
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
    queueMicrotask(this.#channel.connection.isolate(() => this.flush()));
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
