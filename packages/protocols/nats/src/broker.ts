import type { Context, ExchangeFor, MatchOf, OutcomeFor, Reply } from '@backlot/core/plugin';
import { CaptureMoments } from '@backlot/kit';
import { renderAnswer } from './answer.js';
import { captureBytes } from './capture.js';
import { refusalByContract, refusalOfAnswer } from './contract/gate.js';
import type { NatsConnection } from './connection.js';
import type { JetStreamSettings } from './jetstream/configured.js';
import { JetStream, type Taken } from './jetstream/jetstream.js';
import type { Streams } from './jetstream/streams.js';
import type { Delivery } from './subscription.js';
import { answerJetStream } from './jetstream/not-enabled.js';
import { NatsMessage, keepable } from './message.js';
import { PublishedBytes, type Published } from './published.js';
import { QueuePicks, Router } from './router.js';
import type { CompiledResponse } from './matcher.js';
import type { NatsShape } from './shape.js';
import { NO_RESPONDERS } from './wire/headers.js';

type NatsExchange = ExchangeFor<NatsShape>;
type NatsOutcome = OutcomeFor<NatsShape>;

/** By which clients know that a message is not stored for what it is: that of a stream that cannot store it. */
const NOT_ALLOWED = 10077;

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
  readonly #jetStream: JetStream | undefined;

  /** @param jetStream - its settings; absent where it is switched off */
  constructor(context: Context<NatsShape>, jetStream?: JetStreamSettings) {
    this.#context = context;
    this.#moments = new CaptureMoments(() => context.newId());
    this.router = new Router(context.random('queues'), (error) =>
      context.log.error('a message could not be delivered', error),
    );
    this.#jetStream = jetStream && this.#startJetStream(jetStream);
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
    const refusal = refusalByContract(context, exchange);
    if (refusal !== undefined) {
      taken?.close();
      return this.#deny(from, published, exchange, refusal.reason);
    }
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

  /** The streams, where there is JetStream. */
  get streams(): Streams | undefined {
    return this.#jetStream?.streams;
  }

  /** Publishes a message that no client has sent. @returns who got it */
  publishOwn(delivery: Delivery): { readonly delivered: boolean; readonly stored: boolean } {
    const delivered = this.router.deliver(delivery);
    const stored = this.#jetStream?.concerns(delivery.subject) === true;
    // Only a request of the API is answered later, and this is none.
    if (stored) void this.#jetStream?.take(delivery, true);
    return { delivered, stored };
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

  /** The contract does not allow a message: who stores it in a stream gets an error in place of the acknowledgement, and others an `-ERR`. */
  #deny(from: NatsConnection, { subject, reply }: Published, exchange: NatsExchange, reason: string): void {
    const isStored = reply !== '' && this.#jetStream?.concerns(subject) === true;
    if (!isStored) from.deny(subject, reason);
    else {
      const error = {
        code: 400,
        err_code: NOT_ALLOWED,
        description: `the contract does not allow it: ${reason}`,
      };
      const payload = Buffer.from(
        JSON.stringify({ type: 'io.nats.jetstream.api.v1.pub_ack_response', error }),
      );
      this.router.deliver({ subject: reply, reply: '', headerBytes: undefined, payload });
    }
    exchange.done({ status: 400, body: reason });
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
    const jetStream = this.#jetStream;
    const isTaken = jetStream?.concerns(subject) === true;
    // Who publishes to a stream learns that it is stored when subscribers have the message.
    const isHeard = !isDelivered && this.router.deliver(published, publication);
    if (isTaken) {
      const answer = jetStream.take(published, false);
      if (answer !== undefined) return this.#finish(publication, answer);
    }
    if (isDelivered || isHeard || reply === '') return exchange.done();
    exchange.done(this.#refuse(from, subject, reply));
  }

  /** Ends the exchange of a message that JetStream has taken. */
  #finish(publication: Publication, answer: Taken | Promise<Taken>): void {
    const done = (taken: Taken): void => publication.exchange.done(taken === 'taken' ? undefined : taken);
    if (answer instanceof Promise) this.#wait(publication, answer, done);
    else done(answer);
  }

  #startJetStream(settings: JetStreamSettings): JetStream {
    const { router } = this;
    const context = this.#context;
    const chance = context.random('jetstream');
    const jetStream = new JetStream(
      {
        clock: context.clock,
        newId: () => context.newId(),
        roll: () => chance.next(),
        onError: (error) => context.log.error('work of JetStream failed', error),
        deliver: (delivery, to) => router.deliver(delivery, { to }),
        isHeard: (subject) => router.isHeard(subject),
      },
      settings,
    );
    router.onChange = () => jetStream.look();
    context.addToSnapshots('streams', {
      passes: 'plain',
      save: () => jetStream.save(),
      prepare: (saved) => jetStream.prepare(saved),
      restore: (saved, prepared) => jetStream.restore(saved, prepared),
    });
    return jetStream;
  }

  /** Tells a client that nobody takes its request. */
  #refuse(from: NatsConnection, subject: string, reply: string): Reply | undefined {
    const body = this.#jetStream === undefined ? answerJetStream(subject) : undefined;
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
    let response: CompiledResponse | undefined;
    try {
      ({ response } = match.mock.compiled);
    } catch (thrown) {
      this.#context.log.error(`the answer of mock "${match.mock.id}" could not be made`, thrown);
    }
    const jetStream = this.#jetStream;
    if (jetStream?.concerns(published.subject) === true) {
      const answer = jetStream.take(published, response !== undefined && response.subject === undefined);
      if (response === undefined) return this.#finish(publication, answer);
    }
    if (response === undefined) return exchange.done();
    const delay = match.delayOf(response.delay);
    if (delay === 0) return this.#respond(exchange, match, published, response);
    const kept = keep(published);
    this.#wait(publication, exchange.wait(delay), (hasArrived) => {
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
      const refusal = refusalOfAnswer(this.#context, exchange, answer.delivery);
      if (refusal !== undefined) {
        this.#context.log.warn(
          `mock "${match.mock.id}" answers what the contract does not allow: ${refusal.reason}`,
        );
        return exchange.done({ status: 500, body: refusal.reason });
      }
      this.router.deliver(answer.delivery);
      const { subject } = answer.delivery;
      // What a mock publishes is stored like any message, and is no request.
      if (!subject.startsWith('$JS.') && this.#jetStream?.concerns(subject) === true) {
        // Only a request of the API is answered later, and this is none.
        void this.#jetStream.take(answer.delivery, true);
      }
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
