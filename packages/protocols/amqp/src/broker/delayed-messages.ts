import type { Waiting } from '@backlot/core/plugin';
import type { FieldTable } from '../wire/field-table.js';
import type { BrokerMessage } from './broker-message.js';
import type { Exchange } from './exchange.js';
import type { QueueHost } from './queue-types.js';

/** The header that says how long a message is held back, in ms. */
const DELAY = 'x-delay';
/** The longest delay, in ms: a longer one is none, as in RabbitMQ's plugin. */
const MAX_DELAY = 2 ** 32 - 1;
const DIGITS = /^\d+$/;
/** What a message costs while it waits, beside its own bytes. */
const WAIT_BYTES = 1024;

/** How long an exchange of type `x-delayed-message` holds a message back, in ms; 0 is not at all. */
export function delayOf(headers: FieldTable | undefined): number {
  const value = headers?.get(DELAY);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const delay = isNumber || (typeof value === 'string' && DIGITS.test(value)) ? Math.trunc(Number(value)) : 0;
  return delay > 0 && delay <= MAX_DELAY ? delay : 0;
}

/** A message that waits. */
interface Delayed {
  readonly exchange: Exchange;
  readonly message: BrokerMessage;
  /** Virtual time in ms. */
  readonly due: number;
  readonly waiting: Waiting;
}

/** A message that waits, as a snapshot holds it. */
export interface SavedDelayed {
  readonly exchange: string;
  readonly message: BrokerMessage;
  /** How long it still waits, in ms. */
  readonly left: number;
}

/** The messages that exchanges hold back. */
export class DelayedMessages {
  readonly #host: Pick<QueueHost, 'clock' | 'memory'>;
  readonly #deliver: (exchange: Exchange, message: BrokerMessage) => void;
  readonly #all = new Set<Delayed>();

  /** @param deliver - sends a message that has waited to where its exchange sends it then */
  constructor(
    host: Pick<QueueHost, 'clock' | 'memory'>,
    deliver: (exchange: Exchange, message: BrokerMessage) => void,
  ) {
    this.#host = host;
    this.#deliver = deliver;
  }

  add(exchange: Exchange, message: BrokerMessage, delay: number): void {
    const { clock, memory } = this.#host;
    memory.bytes += message.size + WAIT_BYTES;
    const waiting = clock.after(delay, () => {
      this.#remove(delayed);
      // An exchange that is gone takes with it what it has held back.
      if (!exchange.isDeleted && !memory.wouldOverflow(message.size))
        this.#deliver(exchange, withoutDelay(message));
    });
    const delayed = { exchange, message, due: clock.now() + delay, waiting };
    this.#all.add(delayed);
  }

  save(): readonly SavedDelayed[] {
    const now = this.#host.clock.now();
    return [...this.#all]
      .filter(({ exchange }) => !exchange.isDeleted)
      .map(({ exchange, message, due }) => ({ exchange: exchange.name, message, left: due - now }));
  }

  clear(): void {
    for (const delayed of this.#all) {
      delayed.waiting.cancel();
      this.#remove(delayed);
    }
  }

  #remove(delayed: Delayed): void {
    this.#all.delete(delayed);
    this.#host.memory.bytes -= delayed.message.size + WAIT_BYTES;
  }
}

/** The header tells receivers that the message was held back, and the next such exchange not to do so again. */
function withoutDelay(message: BrokerMessage): BrokerMessage {
  return message.withHeader(DELAY, -delayOf(message.properties.headers));
}
