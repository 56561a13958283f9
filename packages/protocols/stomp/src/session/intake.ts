import {
  type Context,
  type ExchangeFor,
  type MatchOf,
  messageOf,
  type OutcomeFor,
  renderContent,
  type Reply,
} from '@backlot/core/plugin';
import { CaptureMoments } from '@backlot/kit';
import type { Broker } from '../broker/broker.js';
import { BrokerMessage } from '../broker/broker-message.js';
import type { CompiledResponse } from '../matcher.js';
import type { StompShape } from '../shape.js';
import { StompMessage } from '../message.js';
import type { Frame, Headers } from '../wire/frame.js';
import { show, StompError } from '../wire/stomp-error.js';

/** What core has decided about a message. */
export type Outcome = OutcomeFor<StompShape>;

/** A message that a client has sent. */
export interface Arrival {
  readonly exchange: ExchangeFor<StompShape>;
  /** What was decided about it; a promise when there is a delay. */
  readonly outcome: Outcome | Promise<Outcome>;
  readonly body: Buffer;
}

/** Takes in what clients send: matches it, stores it, gives it to the broker, and answers as the mocks say. */
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

  /** Begins the exchange of a SEND frame. */
  receive({ headers, body }: Frame, remote: string): Arrival {
    const message = new StompMessage(headers['destination'] ?? '', headers, body, remote);
    const exchange = this.#context.receive(message);
    return { exchange, outcome: exchange.resolve(), body };
  }

  /**
   * Gives the message to the broker, and keeps it for those who ask what was sent.
   *
   * @returns a promise where many get it, for when they have
   */
  publish({ exchange, body }: Arrival): Promise<void> | undefined {
    const { message } = exchange;
    const id = this.#nextId();
    this.#capture(id, exchange);
    return this.#give(new BrokerMessage(id, message.path, message.sent, body), exchange.isCurrent);
  }

  /** Publishes a message that no client has sent. @returns its id, when all have it */
  async publishOwn(destination: string, headers: Headers, body: Buffer): Promise<string> {
    const id = this.#nextId();
    await this.#broker.publish(new BrokerMessage(id, destination, headers, body));
    return id;
  }

  /** Publishes the answer of the mock that has matched. */
  answer({ exchange }: Arrival, outcome: Outcome): void {
    if (outcome.type === 'aborted') return;
    exchange.done(outcome.type === 'matched' ? this.#answer(outcome, exchange) : undefined);
  }

  /** Ends the exchange of a message that is not published, since a fault has fired for it or for another of its transaction. */
  reject({ exchange }: Arrival, outcome: Outcome): void {
    if (outcome.type === 'aborted') return;
    exchange.done({ status: 'ERROR', body: outcome.type === 'fault' ? (outcome.fault.message ?? '') : '' });
  }

  #answer(match: MatchOf<StompShape>, exchange: ExchangeFor<StompShape>): Reply | undefined {
    try {
      const { response } = match.mock.compiled;
      if (response === undefined) return undefined;
      return this.#publishAnswer(match, response, exchange);
    } catch (thrown) {
      exchange.done({ status: 'ERROR', body: messageOf(thrown) });
      throw new StompError(
        'the mock could not answer',
        `the answer of the mock ${show(match.mock.id)} could not be made: ${messageOf(thrown)}`,
      );
    }
  }

  #publishAnswer(
    match: MatchOf<StompShape>,
    response: CompiledResponse,
    { message, isCurrent }: ExchangeFor<StompShape>,
  ): Reply | undefined {
    const named =
      response.destination === undefined ? message.sent['reply-to'] : match.render(response.destination);
    const destination = named === undefined || named === '' ? message.path : named;
    const headers = Object.create(null) as Record<string, string>;
    if (response.contentType !== undefined) headers['content-type'] = match.render(response.contentType);
    for (const [name, value] of response.headers) headers[name] = match.render(value);
    const body =
      response.bytes ?? renderContent(response.body, (template) => match.render(template), message.body);
    void this.#give(new BrokerMessage(this.#nextId(), destination, headers, body), isCurrent);
    return { headers: { destination, ...headers }, body };
  }

  /** What a reset has overtaken reaches those who wait for it, and is stored for nobody. */
  #give(message: BrokerMessage, isCurrent: boolean): Promise<void> | undefined {
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
