import { KeptBytes } from '@backlot/kit';
import type { BrokerMessage } from '../broker/broker-message.js';
import type { BrokerQueue } from '../broker/queue-types.js';
import { AmqpError } from '../wire/amqp-error.js';
import { basic } from '../wire/classes/basic.js';
import { channel as channelClass } from '../wire/classes/channel.js';
import { FRAME } from '../wire/frame-types.js';
import { LastRead } from '../wire/last-read.js';
import {
  keyOfMethod,
  readArguments,
  writeMethod,
  type ArgumentsOf,
  type Fields,
  type Method,
} from '../wire/method.js';
import { contentSize, writeContent } from '../wire/properties.js';
import { REPLY } from '../wire/reply-codes.js';
import { clipShortString } from '../wire/short-string.js';
import type { ChannelContext, TaggedReceiver } from './channel-context.js';
import { Confirms } from './confirms.js';
import type { ConnectionContext } from './connection-context.js';
import { ContentReader, unexpected, type Content, type Header, type PublishArguments } from './content.js';
import { HANDLERS } from './handlers/index.js';
import { Publisher } from './publisher.js';
import { Transaction } from './transaction.js';
import { giveBack, MAX_UNACKED, Unacked, type Delivery, type Holder } from './unacked.js';

/** What was read last is held for long. */
const kept = new KeptBytes();

/** One channel of a connection. */
export class Channel implements ChannelContext {
  readonly connection: ConnectionContext;
  readonly number: number;
  readonly unacked = new Unacked();
  readonly consumers = new Map<string, Holder>();
  replyConsumer: TaggedReceiver | undefined;
  /** What new consumers get as their prefetch. */
  prefetch = 0;
  /** What all consumers together may hold; 0 is any number. */
  sharedPrefetch = 0;
  /** The queue that was declared last, which an empty name stands for. */
  lastQueue: string | undefined;
  confirms: Confirms | undefined;
  transaction: Transaction | undefined;
  readonly #publisher: Publisher;
  #content: ContentReader | undefined;
  #isClosing = false;
  /** Class and method that are handled, for errors. */
  #classId = 0;
  #methodId = 0;
  readonly #lastPublish = new LastRead<PublishArguments>();
  readonly #lastHeader = new LastRead<Header>();

  constructor(connection: ConnectionContext, number: number) {
    this.connection = connection;
    this.number = number;
    this.#publisher = new Publisher(this);
  }

  /** Takes a frame. @throws AmqpError that ends the connection */
  take(type: number, payload: Buffer): void {
    if (this.#isClosing) {
      this.#takeWhileClosing(type, payload);
      return;
    }
    try {
      if (type === FRAME.method) this.#takeMethod(payload);
      else this.#takeContent(type, payload);
    } catch (thrown) {
      if (!(thrown instanceof AmqpError) || thrown.isHard) throw thrown;
      this.#fail(thrown);
    }
  }

  /** Begins to take a message. */
  expectContent(publish: PublishArguments): void {
    this.#content = new ContentReader(publish, this.#lastHeader);
  }

  /** @throws AmqpError when the message cannot be taken */
  publish(content: Content): void {
    this.#publisher.publish(content);
  }

  startConfirms(): void {
    this.confirms ??= new Confirms(this);
  }

  startTransaction(): void {
    this.transaction ??= new Transaction(this);
  }

  /** Sends a method. */
  send<F extends Fields>(method: Method<F>, values: ArgumentsOf<F>): void {
    this.connection.send(writeMethod(this.number, method, values));
  }

  /** Sends a method that has content. */
  sendContent<F extends Fields>(method: Method<F>, values: ArgumentsOf<F>, message: BrokerMessage): void {
    this.connection.send(this.#encode(method, values, message));
  }

  /** Sends a message to a consumer. */
  sendDelivery(message: BrokerMessage, consumerTag: string, deliveryTag: number, redelivered: boolean): void {
    const { exchange, routingKey } = message;
    const values = { consumerTag, deliveryTag, redelivered, exchange, routingKey };
    this.connection.deliver(this.#encode(basic.deliver, values, message));
  }

  /** Ends the channel, or the connection, for something that is not about the frame at hand. */
  failLater(error: AmqpError): void {
    if (error.isHard) this.connection.fail(error);
    else if (!this.#isClosing) this.#fail(error);
  }

  /** Whether a message of a wide reach is still on its way to its queues. */
  get isPublishing(): boolean {
    return this.#publisher.isBusy;
  }

  /** Whether consumers of this channel may get messages. */
  get takesDeliveries(): boolean {
    return !this.#isClosing && !this.unacked.isFull && this.connection.takesDeliveries;
  }

  /** Deliveries are done with: their consumers can take more. */
  settled(deliveries: readonly Delivery[]): void {
    const wasFull = this.unacked.size + deliveries.length >= MAX_UNACKED;
    const consumers = new Set<Holder>();
    for (const { consumer } of deliveries) {
      if (consumer === undefined) continue;
      consumer.unackedCount -= 1;
      consumers.add(consumer);
    }
    // What all share lets each of them take more.
    if (this.sharedPrefetch > 0 || wasFull) this.pump();
    else pumpAll(consumers);
  }

  /** Hands out what consumers of this channel can take now. */
  pump(): void {
    pumpAll([...this.consumers.values()]);
  }

  /** Stops consuming and gives back what was not acknowledged. */
  release(): void {
    this.confirms?.flush();
    this.#isClosing = true;
    this.#dropContent();
    const consumers = [...this.consumers.values()];
    this.consumers.clear();
    if (this.replyConsumer !== undefined) this.connection.broker.replies.remove(this.replyConsumer);
    this.replyConsumer = undefined;
    const deliveries = [...(this.transaction?.rollback() ?? []), ...this.unacked.takeAll()];
    this.connection.broker.jobs.add(leaveQueues(consumers, deliveries));
  }

  #encode<F extends Fields>(method: Method<F>, values: ArgumentsOf<F>, message: BrokerMessage): Buffer {
    const { maxPayload } = this.connection;
    const { header, body } = message;
    const start = writeMethod(this.number, method, values);
    const frames = Buffer.allocUnsafe(start.length + contentSize(header, body, maxPayload));
    start.copy(frames);
    writeContent(frames, start.length, this.number, header, body, maxPayload);
    return frames;
  }

  #takeMethod(payload: Buffer): void {
    const classId = payload.readUInt16BE(0);
    const methodId = payload.readUInt16BE(2);
    this.#classId = classId;
    this.#methodId = methodId;
    if (this.#content !== undefined) throw unexpected('content header or body', 'method');
    const handler = HANDLERS.get(keyOfMethod(classId, methodId));
    if (handler === undefined) {
      throw new AmqpError(REPLY.commandInvalid, `no method ${classId}, ${methodId} that a client could send`);
    }
    handler.handle(this, this.#readArguments(handler.method, payload));
  }

  #readArguments(method: Method, payload: Buffer): unknown {
    if (method !== basic.publish) return readArguments(method, payload);
    const last = this.#lastPublish.of(payload);
    if (last !== undefined) return last;
    const values = readArguments(basic.publish, payload);
    this.#lastPublish.keep(kept.copy(payload), values);
    return values;
  }

  #takeContent(type: number, payload: Buffer): void {
    const reader = this.#content;
    if (reader === undefined)
      throw unexpected('method', type === FRAME.header ? 'content header' : 'content body');
    if (type === FRAME.body) this.connection.countPartial(payload.length);
    const content = type === FRAME.header ? reader.takeHeader(payload) : reader.takeBody(payload);
    if (content === undefined) return;
    this.#dropContent();
    if (this.transaction === undefined) this.publish(content);
    else this.transaction.publish(content);
  }

  #dropContent(): void {
    if (this.#content !== undefined) this.connection.countPartial(-this.#content.received);
    this.#content = undefined;
  }

  #takeWhileClosing(type: number, payload: Buffer): void {
    if (type !== FRAME.method) return;
    const key = keyOfMethod(payload.readUInt16BE(0), payload.readUInt16BE(2));
    const { close, closeOk } = channelClass;
    const isClose = key === keyOfMethod(close.classId, close.methodId);
    if (isClose) this.send(closeOk, {});
    if (isClose || key === keyOfMethod(closeOk.classId, closeOk.methodId)) this.connection.forget(this, true);
  }

  #fail(error: AmqpError): void {
    this.release();
    this.send(channelClass.close, {
      replyCode: error.code,
      replyText: clipShortString(error.message),
      classId: this.#classId,
      methodId: this.#methodId,
    });
  }
}

function* leaveQueues(consumers: readonly Holder[], deliveries: readonly Delivery[]): Generator {
  for (const consumer of consumers) {
    consumer.queue.removeConsumer(consumer);
    yield;
  }
  yield* giveBack(deliveries, () => undefined, 'left');
}

/** Lets consumers take more, each of their queues once. */
function pumpAll(consumers: Iterable<Holder>): void {
  const queues = new Set<BrokerQueue>();
  for (const consumer of consumers) {
    consumer.queue.wake(consumer);
    queues.add(consumer.queue);
  }
  for (const queue of queues) queue.pump();
}
