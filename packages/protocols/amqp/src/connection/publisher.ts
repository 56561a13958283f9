import { messageOf } from '@backlot/core/plugin';
import type { Job } from '@backlot/kit';
import { AmqpMessage } from '../message.js';
import { refusalByContract, refusalOfAnswer } from '../contract/gate.js';
import { BrokerMessage } from '../broker/broker-message.js';
import { MAX_QUEUED_BYTES } from '../broker/memory.js';
import type { Exchange } from '../broker/exchange.js';
import { DIRECT_REPLY } from '../broker/reply-addresses.js';
import type { Target } from '../broker/router.js';
import type { AmqpExchange, AmqpMatch, AmqpOutcome } from '../shape.js';
import { AmqpError } from '../wire/amqp-error.js';
import { basic } from '../wire/classes/basic.js';
import { REPLY } from '../wire/reply-codes.js';
import { publishAnswer, renderAnswer } from './answer.js';
import type { ChannelContext } from './channel-context.js';
import type { Content } from './content.js';
import { checkProperties, findPublished } from './publish-checks.js';

/** So many queues get a message without a step in between. */
const AT_ONCE = 64;
/** Characters of a reason, which stands in a text of at most 255 bytes. */
const LONGEST_REASON = 180;

const NO_NAMES: readonly string[] = Object.freeze([]);

/** A message on its way into the broker. */
interface Publication {
  readonly content: Content;
  readonly exchange: AmqpExchange;
  readonly message: BrokerMessage;
  readonly targets: readonly Target[];
  /** For its confirm; 0 without confirms. */
  readonly number: number;
}

/** A message behind a delay, or behind one that is. */
interface Held {
  readonly publication: Publication;
  readonly isFaulted: boolean;
  outcome: AmqpOutcome | undefined;
}

/** Takes the messages of one channel: queues get them, mocks answer them, faults lose them. */
export class Publisher {
  readonly #channel: ChannelContext;
  /** Messages that a delay of a fault holds back, and those behind them: a channel keeps its order. */
  readonly #line: Held[] = [];

  /** Messages that are on their way to many queues. */
  readonly #others: Pick<Publication, 'message' | 'targets' | 'number'>[] = [];
  #works = 0;
  #lastNames = NO_NAMES;

  constructor(channel: ChannelContext) {
    this.#channel = channel;
  }

  /** Whether a message of a wide reach is still on its way to its queues. */
  get isBusy(): boolean {
    return this.#works > 0;
  }

  /** @throws AmqpError when the message cannot be taken */
  publish(content: Content): void {
    const { connection } = this.#channel;
    const { broker } = connection;
    const { publish, properties } = content;
    const source = findPublished(broker, publish, connection.virtualHost);
    checkProperties(properties, connection.username);
    const message = this.#makeMessage(content);
    const targets = broker.route(source, message);
    if (targets !== undefined && !this.isBusy) this.#receive(content, message, targets);
    else this.#work(this.#receiveInSteps(content, message, source));
  }

  *#receiveInSteps(content: Content, message: BrokerMessage, source: Exchange): Generator {
    const targets = yield* this.#channel.connection.broker.routeInSteps(source, message);
    this.#receive(content, message, targets);
    yield* this.#storeOthers();
  }

  #receive(content: Content, message: BrokerMessage, targets: readonly Target[]): void {
    const { connection, confirms } = this.#channel;
    const { context } = connection;
    const { publish, properties, body, header } = content;
    const exchange = context.receive(
      new AmqpMessage(
        publish.exchange,
        publish.routingKey,
        properties,
        body,
        this.#namesOf(targets),
        connection.remote,
        header.length,
      ),
    );
    const refusal = refusalByContract(context, exchange);
    if (refusal !== undefined) return this.#refuse(exchange, refusal.reason);
    const outcome = exchange.resolve();
    this.#capture(exchange);
    const publication = { content, exchange, message, targets, number: confirms?.next() ?? 0 };
    if (outcome instanceof Promise) this.#wait(publication, outcome);
    else if (this.#line.length === 0) this.#settle(publication, outcome);
    else this.#line.push({ publication, isFaulted: outcome.type === 'fault', outcome });
  }

  /** The contract does not allow a message: who waits for confirms gets a nack, and others lose their channel. */
  #refuse(exchange: AmqpExchange, reason: string): void {
    const { confirms } = this.#channel;
    const error = new AmqpError(
      REPLY.preconditionFailed,
      `the contract does not allow it: ${reason}`.slice(0, LONGEST_REASON),
    );
    exchange.done({ status: error.code, body: error.message });
    if (confirms === undefined) this.#channel.failLater(error);
    else confirms.nack(confirms.next());
  }

  /** The queues that a message is shown with; those of the last message, where they are the same, so that they are kept once. */
  #namesOf(targets: readonly Target[]): readonly string[] {
    if (targets.length === 0) return NO_NAMES;
    const last = this.#lastNames;
    let place = 0;
    for (const target of targets) {
      if (target.isDelay === true) continue;
      if (target.name !== last[place]) {
        this.#lastNames = targets.filter(({ isDelay = false }) => !isDelay).map(({ name }) => name);
        return this.#lastNames;
      }
      place += 1;
    }
    return place === last.length ? last : (this.#lastNames = last.slice(0, place));
  }

  #makeMessage({ publish, properties, header, body }: Content): BrokerMessage {
    const { exchange, routingKey } = publish;
    if (properties.reply_to !== DIRECT_REPLY) {
      return new BrokerMessage(exchange, routingKey, properties, body, header);
    }
    const address = this.#channel.replyConsumer?.name;
    if (address === undefined) {
      throw new AmqpError(REPLY.preconditionFailed, 'fast reply consumer does not exist');
    }
    return new BrokerMessage(exchange, routingKey, { ...properties, reply_to: address }, body);
  }

  #capture(exchange: AmqpExchange): void {
    const { context, moments } = this.#channel.connection;
    const { message } = exchange;
    message.moment = moments.at(exchange.startedAt);
    context.captures.add(message, message.body.length + message.size + message.path.length, exchange);
  }

  #wait(publication: Publication, outcome: Promise<AmqpOutcome>): void {
    const { connection } = this.#channel;
    const { exchange, content } = publication;
    const isFaulted = exchange.faulted;
    const isStoredNow = !isFaulted && this.#line.length === 0 && exchange.matched;
    connection.underWay.add(exchange, content.body.length);
    const arrive = connection.isolate((late: AmqpOutcome) => {
      this.#guard(() => {
        if (!isStoredNow) {
          held.outcome = late;
          this.#flushLine();
        } else if (late.type === 'matched') this.#answer(publication, late);
      });
      connection.underWay.remove(exchange, content.body.length);
    });
    const held: Held = { publication, isFaulted, outcome: undefined };
    if (!isStoredNow) this.#line.push(held);
    outcome.then(
      arrive,
      connection.isolate((thrown) => {
        throw thrown;
      }),
    );
    if (isStoredNow) this.#store(publication, true);
  }

  #flushLine(): void {
    for (let held = this.#line[0]; held?.outcome !== undefined; held = this.#line[0]) {
      // It comes again when what is on its way has arrived.
      if (this.isBusy) return;
      this.#line.shift();
      const { publication } = held;
      const { exchange } = publication.content.publish;
      const { broker } = this.#channel.connection;
      const source = broker.registry.exchanges.get(exchange);
      // Queues may have come and gone meanwhile.
      const targets = source === undefined ? [] : broker.route(source, publication.message);
      if (targets !== undefined) this.#settleHeld(held, held.outcome, targets);
      else if (source !== undefined) this.#work(this.#settleInSteps(held, held.outcome, source));
    }
  }

  *#settleInSteps(held: Held, outcome: AmqpOutcome, source: Exchange): Generator {
    const targets = yield* this.#channel.connection.broker.routeInSteps(source, held.publication.message);
    this.#settleHeld(held, outcome, targets);
    yield* this.#storeOthers();
  }

  #settleHeld({ publication, isFaulted }: Held, outcome: AmqpOutcome, targets: readonly Target[]): void {
    const current = { ...publication, targets };
    if (outcome.type !== 'aborted') this.#settle(current, outcome);
    // A broker has taken a message when its client leaves.
    else if (!isFaulted) this.#store(current, true);
  }

  #settle(publication: Publication, outcome: AmqpOutcome): void {
    switch (outcome.type) {
      case 'matched':
        this.#store(publication, true);
        this.#answer(publication, outcome);
        return;
      case 'fault':
        this.#fault(publication, outcome);
        return;
      default:
        this.#store(publication, false);
        publication.exchange.done();
    }
  }

  #fault(publication: Publication, { given, match }: Extract<AmqpOutcome, { type: 'fault' }>): void {
    const channel = this.#channel;
    const { exchange, number } = publication;
    if (given.drop === false && given.reply_code === undefined && given.reply_text === undefined) {
      this.#settle(publication, match ?? { type: 'unmatched' });
      return;
    }
    if (given.reply_code === undefined && given.reply_text === undefined) {
      exchange.done();
      if (number > 0) channel.confirms?.nack(number);
      return;
    }
    const error = new AmqpError(
      given.reply_code ?? REPLY.internalError,
      given.reply_text ?? 'fault injected',
    );
    exchange.done({ status: error.code, body: error.message });
    channel.failLater(error);
  }

  /** Puts a message into its queues and confirms it. One that a mock takes is never returned: it has found its service. */
  #store({ message, targets, number, content }: Publication, isMatched: boolean): void {
    const { confirms, connection } = this.#channel;
    if (connection.broker.memory.wouldOverflow(message.size * targets.length)) {
      if (confirms !== undefined && number > 0) return confirms.nack(number);
      throw new AmqpError(
        REPLY.resourceError,
        `queues may hold ${MAX_QUEUED_BYTES} bytes; consume or purge what they have`,
      );
    }
    if (targets.length > AT_ONCE) {
      this.#others.push({ message, targets, number });
      if (!this.isBusy) this.#work(this.#storeOthers());
      return;
    }
    let isTaken = true;
    for (const target of targets) isTaken = target.push(message) && isTaken;
    if (content.publish.mandatory && !isMatched && targets.every(({ isDelay = false }) => isDelay)) {
      const returned = { replyCode: REPLY.noRoute, replyText: 'NO_ROUTE', ...addressOf(message) };
      this.#channel.sendContent(basic.return, returned, message);
    }
    this.#confirm(number, isTaken);
  }

  /** Puts messages into many queues, in steps. */
  *#storeOthers(): Generator {
    for (let next = this.#others.shift(); next !== undefined; next = this.#others.shift()) {
      let isTaken = true;
      for (const target of next.targets) {
        isTaken = target.push(next.message) && isTaken;
        yield;
      }
      this.#confirm(next.number, isTaken);
    }
  }

  #confirm(number: number, isTaken: boolean): void {
    const { confirms } = this.#channel;
    if (confirms === undefined || number === 0) return;
    if (isTaken) confirms.ack(number);
    else confirms.nack(number);
  }

  /** Does what takes long; what comes behind it waits. */
  #work(steps: Job): void {
    this.#works += 1;
    this.#channel.connection.work(this.#channel, this.#workOn(steps));
  }

  *#workOn(steps: Job): Generator {
    try {
      for (let step = steps.next(); step.done !== true; step = steps.next()) yield step.value;
    } finally {
      this.#works -= 1;
    }
    this.#flushLine();
  }

  #answer({ exchange, message }: Publication, match: AmqpMatch): void {
    const { connection } = this.#channel;
    try {
      const { response } = match.mock.compiled;
      if (response === undefined) return exchange.done();
      const rendered = renderAnswer(match, response, message);
      const refusal = refusalOfAnswer(connection.context, exchange, rendered);
      if (refusal !== undefined) throw new Error(`the contract does not allow it: ${refusal.reason}`);
      const answer = publishAnswer(connection.broker, rendered);
      const { exchange: target, routingKey, body } = answer.message;
      const headers = { exchange: target, routing_key: routingKey };
      exchange.done({ ...(answer.problem === undefined ? {} : { status: answer.problem }), headers, body });
    } catch (thrown) {
      connection.context.log.warn(`the answer of mock "${match.mock.id}" was not sent: ${messageOf(thrown)}`);
      exchange.done({ status: REPLY.internalError, body: messageOf(thrown) });
    }
  }

  #guard(action: () => void): void {
    try {
      action();
    } catch (thrown) {
      if (!(thrown instanceof AmqpError)) throw thrown;
      this.#channel.failLater(thrown);
    }
  }
}

function addressOf({ exchange, routingKey }: BrokerMessage): { exchange: string; routingKey: string } {
  return { exchange, routingKey };
}
