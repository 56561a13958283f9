import type { Broker } from '../broker/broker.js';
import { TEMPORARY } from '../broker/destination.js';
import {
  Subscription,
  type AckMode,
  type Receiver,
  type SubscriptionOptions,
} from '../broker/subscription.js';
import { encodeHeaders } from '../wire/encode-frame.js';
import type { Frame, Headers } from '../wire/frame.js';
import { show, StompError } from '../wire/stomp-error.js';
import type { Version } from '../wire/version.js';
import type { TemporaryQueues } from './temporary-queues.js';
import type { Settlement } from './transactions.js';

const MAX_SUBSCRIPTIONS = 10_000;
/** Bytes of ids and destinations of the subscriptions of a session. */
const MAX_BYTES = 4 * 1024 * 1024;
const MODES: readonly string[] = ['auto', 'client', 'client-individual'] satisfies readonly AckMode[];

/** The subscriptions of one session. */
export class Subscriptions {
  readonly #receiver: Receiver;
  readonly #broker: Broker;
  readonly #temporary: TemporaryQueues;
  /** By the client's id, or by destination where it has given none (1.0). */
  readonly #byName = new Map<string, Subscription>();
  readonly #byNumber = new Map<string, Subscription>();
  /** How many the client has for its temporary queues, by the name of the queue. */
  readonly #consumed = new Map<string, number>();
  /** Those of temporary queues that the client has not asked for: the answers come to them. By the name of the queue. */
  readonly #implied = new Map<string, Subscription>();
  #count = 0;
  #bytes = 0;

  constructor(receiver: Receiver, broker: Broker, temporary: TemporaryQueues) {
    this.#receiver = receiver;
    this.#broker = broker;
    this.#temporary = temporary;
  }

  /** What they are for. */
  get destinations(): readonly string[] {
    return Array.from(this.#byName.values(), ({ destination }) => destination);
  }

  /** Takes SUBSCRIBE. The first messages are sent by {@link begin}, after the receipt. */
  add({ headers }: Frame, version: Version): Subscription {
    const { destination: named, id, ack = 'auto' } = headers;
    if (named === undefined || named === '') throw missing('SUBSCRIBE', 'destination');
    if (id === undefined && version !== '1.0') throw missing('SUBSCRIBE', 'id');
    if (!isMode(ack))
      throw new StompError('bad ack mode', `the header ack is ${show(ack)}; it must be ${MODES.join(', ')}`);
    const name = nameOf(id, named);
    this.#check(name, id ?? named);
    const prefetch = prefetchOf(headers);
    const destination = this.#temporary.open(named);
    const line = id === undefined ? '' : encodeHeaders({ subscription: id }, version);
    const subscription = this.#begin(name, { destination, mode: ack, prefetch, line });
    if (named.startsWith(TEMPORARY)) this.#takeOver(destination);
    return subscription;
  }

  /**
   * A message names a temporary queue in `reply-to`: the answers come to the client, as those of RabbitMQ, without a
   * SUBSCRIBE.
   */
  expectAnswers(replyTo: string | undefined, version: Version): void {
    if (replyTo?.startsWith(TEMPORARY) !== true) return;
    const destination = this.#temporary.open(replyTo);
    if (this.#implied.has(destination) || this.#consumed.has(destination)) return;
    const name = nameOf(replyTo, '');
    this.#check(name, replyTo);
    const line = encodeHeaders({ subscription: replyTo }, version);
    const subscription = this.#begin(name, { destination, mode: 'auto', prefetch: undefined, line });
    this.#implied.set(destination, subscription);
    this.#broker.wake([subscription]);
  }

  /** Takes UNSUBSCRIBE. */
  remove({ headers }: Frame, version: Version): void {
    const { id, destination } = headers;
    if (id === undefined && version !== '1.0') throw missing('UNSUBSCRIBE', 'id');
    if (id === undefined && destination === undefined) throw missing('UNSUBSCRIBE', 'destination');
    const name = nameOf(id, destination ?? '');
    const subscription = this.#byName.get(name);
    if (subscription === undefined)
      throw new StompError(
        'unknown subscription',
        `there is no subscription ${show(id ?? destination ?? '')}`,
      );
    const queue = subscription.destination;
    if (this.#implied.get(queue) === subscription)
      throw new StompError(
        'bad id',
        `the subscription ${show(id ?? '')} is for answers that the session has asked for; it ends with the session`,
      );
    this.#end(name, subscription);
    const count = this.#consumed.get(queue);
    if (count === undefined) return;
    if (count > 1) this.#consumed.set(queue, count - 1);
    else this.#consumed.delete(queue);
  }

  /** Finds what ACK or NACK is about: 1.2 has an id for each, earlier versions name message and subscription. */
  find({ command, headers }: Frame, version: Version): Settlement {
    const isConsumed = command === 'ACK';
    if (version === '1.2') {
      const tag = headers['id'];
      if (tag === undefined) throw missing(command, 'id');
      const subscription = this.#byNumber.get(tag.slice(0, Math.max(tag.indexOf('-'), 0)));
      if (subscription?.has(tag) === true) return { subscription, tag, isConsumed };
      throw unknownMessage(tag);
    }
    const tag = headers['message-id'];
    const name = headers['subscription'];
    if (tag === undefined) throw missing(command, 'message-id');
    if (name === undefined && version === '1.1') throw missing(command, 'subscription');
    for (const subscription of this.#named(name))
      if (subscription.has(tag)) return { subscription, tag, isConsumed };
    throw unknownMessage(tag);
  }

  settle({ subscription, tag, isConsumed }: Settlement): void {
    if (subscription.settle(tag, isConsumed)) this.#broker.wake([subscription]);
    this.#broker.relieve();
  }

  /** Sends what waits for a new subscription. */
  begin(subscription: Subscription): void {
    this.#broker.wake([subscription]);
  }

  /** Sends what waits in the queues, when the client takes more again. */
  wakeAll(): void {
    this.#broker.wake([...this.#byName.values()]);
  }

  /** The session is over. */
  endAll(): void {
    const subscriptions = [...this.#byName.values()];
    for (const subscription of subscriptions) subscription.isEnded = true;
    this.#byName.clear();
    this.#byNumber.clear();
    this.#broker.unsubscribe(subscriptions);
  }

  #check(name: string, shown: string): void {
    if (this.#byName.has(name))
      throw new StompError('subscription exists', `there is a subscription ${show(shown)} already`);
  }

  #begin(name: string, options: Omit<SubscriptionOptions, 'number'>): Subscription {
    const bytes = name.length + options.destination.length;
    if (this.#byName.size >= MAX_SUBSCRIPTIONS || this.#bytes + bytes > MAX_BYTES)
      throw new StompError(
        'too many subscriptions',
        `a session has ${MAX_SUBSCRIPTIONS} subscriptions at most, with ids and destinations of ${MAX_BYTES} bytes`,
      );
    this.#count += 1;
    const subscription = new Subscription(this.#receiver, { ...options, number: this.#count });
    this.#broker.subscribe(subscription);
    this.#byName.set(name, subscription);
    this.#byNumber.set(String(subscription.number), subscription);
    this.#bytes += bytes;
    return subscription;
  }

  #end(name: string, subscription: Subscription): void {
    subscription.isEnded = true;
    this.#byName.delete(name);
    this.#bytes -= name.length + subscription.destination.length;
    this.#byNumber.delete(String(subscription.number));
    this.#broker.unsubscribe([subscription]);
  }

  /** The client has subscribed to a temporary queue itself: its answers come there alone. */
  #takeOver(queue: string): void {
    this.#consumed.set(queue, (this.#consumed.get(queue) ?? 0) + 1);
    const implied = this.#implied.get(queue);
    if (implied === undefined) return;
    this.#implied.delete(queue);
    for (const [name, subscription] of this.#byName) if (subscription === implied) this.#end(name, implied);
  }

  #named(name: string | undefined): Iterable<Subscription> {
    if (name === undefined) return this.#byName.values();
    const subscription = this.#byName.get(nameOf(name, ''));
    return subscription === undefined ? [] : [subscription];
  }
}

/** An error for a header that must be there. */
export function missing(command: string, header: string): StompError {
  return new StompError('missing header', `${command} needs the header ${header}`);
}

function isMode(value: string): value is AckMode {
  return MODES.includes(value);
}

/** An id and a destination that read the same are two subscriptions. */
function nameOf(id: string | undefined, destination: string): string {
  return id === undefined ? `destination ${destination}` : `id ${id}`;
}

/** `prefetch-count`, as RabbitMQ has it. */
function prefetchOf(headers: Headers): number | undefined {
  const count = headers['prefetch-count'];
  if (count === undefined) return undefined;
  if (!/^[0-9]{1,9}$/.test(count))
    throw new StompError(
      'bad prefetch-count',
      `the header prefetch-count is ${show(count)}; it must be a number`,
    );
  return count === '0' ? undefined : Number(count);
}

function unknownMessage(tag: string): StompError {
  return new StompError(
    'unknown message',
    `no message ${show(tag)} waits to be acknowledged by this session`,
  );
}
