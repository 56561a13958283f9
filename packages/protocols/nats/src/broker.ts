import type { Context, ExchangeFor, MatchOf, OutcomeFor, Reply } from '@backlot/core/plugin';
import { CaptureMoments } from '@backlot/kit';
import { renderAnswer } from './answer.js';
import { captureBytes } from './capture.js';
import type { NatsConnection } from './connection.js';
import { answerJetStream } from './jetstream.js';
import { NatsMessage, keepable } from './message.js';
import { PublishedBytes, type Published } from './published.js';
import { QueuePicks, Router } from './router.js';
import type { CompiledResponse } from './matcher.js';
import type { NatsShape } from './shape.js';
import { NO_RESPONDERS } from './wire/headers.js';

type NatsExchange = ExchangeFor<NatsShape>;
type NatsOutcome = OutcomeFor<NatsShape>;

const NOTHING = Buffer.alloc(0);

/** A message of a client between its arrival and its end. */
interface Publication {
  readonly from: NatsConnection;
  readonly published: Published;
  readonly exchange: NatsExchange;
  readonly taken: QueuePicks | undefined;
  /** Whether subscribers have it already. */
  readonly isDelivered: boolean;
}

/** Takes what clients publish: to subscribers, and to the mocks, whose answers go to subscribers alone. */
export class Broker {
  readonly router: Router;
  readonly #context: Context<NatsShape>;
  readonly #moments: CaptureMoments;
  readonly #waiting = new Set<NatsExchange>();

  constructor(context: Context<NatsShape>) {
    this.#context = context;
    this.#moments = new CaptureMoments(() => context.newId());
    this.router = new Router(context.random('queues'), (error) =>
      context.log.error('a message could not be delivered', error),
    );
  }

  /** Takes a message of a client. */
  publish(from: NatsConnection, published: Published): void {
    const { router } = this;
    if (router.isQuicklyFound(published.subject)) this.#publish(from, published);
    else router.find(published.subject, from, () => this.#publish(from, published));
  }

  #publish(from: NatsConnection, published: Published): void {
    const context = this.#context;
    const taken = context.mocks.index.hasQueueMembers
      ? new QueuePicks(this.router, published.subject, from)
      : undefined;
    const message = new NatsMessage(published, from.remote, taken);
    const exchange = context.receive(message);
    message.moment = this.#moments.at(exchange.startedAt);
    context.captures.add(message, captureBytes(message), exchange);
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) {
      // What a mock answers late is nothing that subscribers wait for; where no mock answers, the message itself is late.
      const isDelivered = !exchange.faulted && context.mocks.matches(message);
      if (isDelivered) this.router.deliver(published, { from, taken });
      const publication = { from, published: keep(published), exchange, taken, isDelivered };
      this.#wait(publication, outcome, (late) => this.#settle(publication, late));
    } else this.#settle({ from, published, exchange, taken, isDelivered: false }, outcome);
  }

  /** Begins anew: as after a start. */
  reset(): void {
    this.router.reseed(this.#context.random('queues'));
  }

  /** Gives up what still waits. */
  stop(): void {
    for (const exchange of this.#waiting) exchange.abort();
    this.#waiting.clear();
  }

  #settle(publication: Publication, outcome: NatsOutcome): void {
    this.#route(publication, outcome);
    publication.taken?.close();
  }

  #route(publication: Publication, outcome: NatsOutcome): void {
    const { exchange } = publication;
    switch (outcome.type) {
      case 'matched':
        return this.#answer(publication, outcome);
      case 'fault':
        if (outcome.fault.drop === true) return exchange.done();
        return outcome.match === undefined
          ? this.#deliverUnmatched(publication)
          : this.#answer(publication, outcome.match);
      case 'aborted':
        return;
      default:
        return this.#deliverUnmatched(publication);
    }
  }

  #deliverUnmatched(publication: Publication): void {
    const { from, published, exchange, isDelivered } = publication;
    const { subject, reply } = published;
    if (isDelivered) return exchange.done();
    if (this.router.deliver(published, publication) || reply === '') return exchange.done();
    exchange.done(this.#refuse(from, subject, reply));
  }

  /** Tells a client that nobody takes its request. */
  #refuse(from: NatsConnection, subject: string, reply: string): Reply | undefined {
    const body = answerJetStream(subject);
    if (body !== undefined) {
      this.router.deliver({ subject: reply, reply: '', headerBytes: undefined, payload: Buffer.from(body) });
      return { status: 503, body };
    }
    if (!from.wantsNoResponders) return undefined;
    const subscription = this.router.firstOf(from, reply);
    if (subscription === undefined) return undefined;
    from.outgoing.sendMessage(
      `HMSG ${reply} ${subscription.sid} ${NO_RESPONDERS.length} ${NO_RESPONDERS.length}\r\n`,
      NO_RESPONDERS,
      NOTHING,
    );
    return { status: 503 };
  }

  #answer(publication: Publication, match: MatchOf<NatsShape>): void {
    const { published, exchange, isDelivered } = publication;
    if (!isDelivered) this.router.deliver(published, publication);
    const { response } = match.mock.compiled;
    if (response === undefined) return exchange.done();
    if (response.delay === 0) return this.#respond(exchange, match, published, response);
    const kept = keep(published);
    this.#wait(publication, exchange.wait(response.delay), (hasArrived) => {
      if (hasArrived) this.#respond(exchange, match, kept, response);
    });
  }

  #respond(
    exchange: NatsExchange,
    match: MatchOf<NatsShape>,
    published: Published,
    response: CompiledResponse,
  ): void {
    try {
      const answer = renderAnswer(this.#context, match, published, response);
      if (answer === undefined) return exchange.done();
      this.router.deliver(answer.delivery);
      exchange.done(answer.reply);
    } catch (thrown) {
      exchange.done();
      this.#context.log.error(`the answer of mock "${match.mock.id}" could not be made`, thrown);
    }
  }

  #wait<T>({ from, published, exchange }: Publication, promise: Promise<T>, then: (value: T) => void): void {
    const release = from.hold(exchange, published);
    this.#waiting.add(exchange);
    promise
      .then((value) => {
        this.#waiting.delete(exchange);
        then(value);
      })
      .catch((thrown: unknown) => {
        this.#waiting.delete(exchange);
        if (!exchange.ended) exchange.done();
        this.#context.log.error('a message failed while it waited', thrown);
      })
      .finally(release);
  }
}

/** A message that may be held for long. */
function keep(published: Published): Published {
  const { headerBytes, payload } = published;
  return new PublishedBytes(
    published.subject,
    published.reply,
    headerBytes === undefined ? undefined : keepable(headerBytes),
    keepable(payload),
  );
}
