import type { Context, ExchangeFor, OutcomeFor } from '@backlot/core/plugin';
import { CaptureMoments } from '@backlot/kit';
import type { Broker } from '../broker/broker.js';
import { BrokerMessage } from '../broker/broker-message.js';
import { refusalByContract } from '../contract/gate.js';
import { REPLY, TEMPORARY } from '../broker/destination.js';
import type { StompShape } from '../shape.js';
import { StompMessage } from '../message.js';
import type { Frame, Headers } from '../wire/frame.js';
import { show, StompError } from '../wire/stomp-error.js';
import type { TemporaryQueues } from './temporary-queues.js';

/** What core has decided about a message. */
export type Outcome = OutcomeFor<StompShape>;

/** How the session of a message calls destinations. */
export type Names = Pick<TemporaryQueues, 'route' | 'exported'>;

/** A message that a client has sent, or a subscription that a mock or a fault is for. */
export interface Arrival {
  readonly exchange: ExchangeFor<StompShape>;
  /** What was decided about it; a promise when there is a delay. */
  readonly outcome: Outcome | Promise<Outcome>;
  readonly body: Buffer;
  readonly names: Names;
}

/** Takes in what clients send: matches it, stores it, and gives it to the broker. */
export class Intake {
  readonly #context: Context<StompShape>;
  readonly #broker: Broker;
  readonly #prefix: string;
  readonly #moments: CaptureMoments;
  #count = 0;

  constructor(context: Context<StompShape>, broker: Broker) {
    this.#context = context;
    this.#broker = broker;
    this.#prefix = context.newId();
    this.#moments = new CaptureMoments(() => context.newId());
  }

  /** Begins the exchange of a SEND frame. @throws StompError when the contract does not allow it */
  receive({ headers, body }: Frame, remote: string, names: Names): Arrival {
    const message = new StompMessage('SEND', headers['destination'] ?? '', headers, body, remote);
    const exchange = this.#context.receive(message);
    const refusal = refusalByContract(this.#context, exchange);
    if (refusal !== undefined) {
      exchange.done({ status: 'ERROR', body: refusal });
      throw new StompError('the contract does not allow the message', refusal);
    }
    return { exchange, outcome: exchange.resolve(), body, names };
  }

  /** Begins the exchange of a SUBSCRIBE frame, when there is a mock for it, or a fault that names it. */
  receiveSubscription({ headers, body }: Frame, remote: string, names: Names): Arrival | undefined {
    const message = new StompMessage('SUBSCRIBE', headers['destination'] ?? '', headers, '', remote);
    const { faults, mocks } = this.#context;
    if (!mocks.matches(message) && !faults.isNamed(message)) return undefined;
    const exchange = this.#context.receive(message);
    return { exchange, outcome: exchange.resolve(), body, names };
  }

  /**
   * Gives the message to the broker, and keeps it for those who ask what was sent.
   *
   * @returns a promise where many get it, for when they have
   */
  publish({ exchange, body, names }: Arrival): Promise<void> | undefined {
    const { message } = exchange;
    const id = this.#nextId();
    this.#capture(id, exchange);
    const destination = names.route(message.path);
    if (destination === undefined) return undefined;
    const sent = new BrokerMessage(id, destination, names.exported(message.sent), body);
    return this.give(sent, exchange.isCurrent);
  }

  /** Publishes a message that no client has sent. @returns its id, when all have it */
  async publishOwn(destination: string, headers: Headers, body: Buffer): Promise<string> {
    if (destination.startsWith(TEMPORARY))
      throw new StompError(
        `${show(destination)} is a queue of the session that calls it so; send to what the header reply-to of its message says, ${REPLY}...`,
      );
    const queue = this.#broker.exclusive.route(destination);
    if (queue === undefined) throw new StompError(`there is no queue ${show(destination)}`);
    const message = this.make(queue, headers, body);
    await this.#broker.publish(message);
    return message.id;
  }

  /** A message of the server itself. */
  make(destination: string, headers: Headers, body: Buffer): BrokerMessage {
    return new BrokerMessage(this.#nextId(), destination, headers, body);
  }

  /** What a reset has overtaken reaches those who wait for it, and is stored for nobody. */
  give(message: BrokerMessage, isCurrent: boolean): Promise<void> | undefined {
    const isWanted = isCurrent || this.#broker.hasReceiver(message.destination);
    return isWanted ? this.#broker.publish(message) : undefined;
  }

  #capture(id: string, exchange: ExchangeFor<StompShape>): void {
    const { message } = exchange;
    message.captured = { id, moment: this.#moments.at(exchange.startedAt) };
    this.#context.captures.add(message, message.body.length + message.size, exchange);
  }

  #nextId(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }
}
