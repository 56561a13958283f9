import type { Broker } from '../broker/broker.js';
import { Subscription, type AckMode, type Receiver } from '../broker/subscription.js';
import { encodeHeaders } from '../wire/encode-frame.js';
import type { Frame, Headers } from '../wire/frame.js';
import { show, StompError } from '../wire/stomp-error.js';
import type { Version } from '../wire/version.js';
import type { Settlement } from './transactions.js';

const MAX_SUBSCRIPTIONS = 10_000;
/** Bytes of ids and destinations of the subscriptions of a session. */
const MAX_BYTES = 4 * 1024 * 1024;
const MODES: readonly string[] = ['auto', 'client', 'client-individual'] satisfies readonly AckMode[];

/** The subscriptions of one session. */
export class Subscriptions {
  readonly #receiver: Receiver;
  readonly #broker: Broker;
  /** By the client's id, or by destination where it has given none (1.0). */
  readonly #byName = new Map<string, Subscription>();
  readonly #byNumber = new Map<string, Subscription>();
  #count = 0;
  #bytes = 0;

  constructor(receiver: Receiver, broker: Broker) {
    this.#receiver = receiver;
    this.#broker = broker;
  }

  /** What they are for. */
  get destinations(): readonly string[] {
    return Array.from(this.#byName.values(), ({ destination }) => destination);
  }

  /** Takes SUBSCRIBE. The first messages are sent by {@link dispatch}, after the receipt. */
  add({ headers }: Frame, version: Version): Subscription {
    const { destination, id, ack = 'auto' } = headers;
    if (destination === undefined || destination === '') throw missing('SUBSCRIBE', 'destination');
    if (id === undefined && version !== '1.0') throw missing('SUBSCRIBE', 'id');
    if (!isMode(ack))
      throw new StompError('bad ack mode', `the header ack is ${show(ack)}; it must be ${MODES.join(', ')}`);
    const name = nameOf(id, destination);
    if (this.#byName.has(name))
      throw new StompError(
        'subscription exists',
        `there is a subscription ${show(id ?? destination)} already`,
      );
    const bytes = name.length + destination.length;
    if (this.#byName.size >= MAX_SUBSCRIPTIONS || this.#bytes + bytes > MAX_BYTES)
      throw new StompError(
        'too many subscriptions',
        `a session has ${MAX_SUBSCRIPTIONS} subscriptions at most, with ids and destinations of ${MAX_BYTES} bytes`,
      );
    this.#count += 1;
    const subscription = new Subscription(this.#receiver, {
      destination,
      mode: ack,
      prefetch: prefetchOf(headers),
      number: this.#count,
      line: id === undefined ? '' : encodeHeaders({ subscription: id }, version),
    });
    this.#broker.subscribe(subscription);
    this.#byName.set(name, subscription);
    this.#byNumber.set(String(subscription.number), subscription);
    this.#bytes += bytes;
    return subscription;
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
    this.#byName.delete(name);
    this.#bytes -= name.length + subscription.destination.length;
    this.#byNumber.delete(String(subscription.number));
    this.#broker.unsubscribe([subscription]);
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
    subscription.settle(tag, isConsumed);
    this.#broker.relieve();
  }

  /** Sends what waits in one queue. */
  dispatch(destination: string): void {
    this.#broker.dispatch(destination);
  }

  /** Sends what waits in the queues, when the client takes more again. */
  dispatchAll(): void {
    const destinations = new Set<string>();
    for (const subscription of this.#byName.values()) {
      this.#broker.wake(subscription);
      destinations.add(subscription.destination);
    }
    for (const destination of destinations) this.#broker.dispatch(destination);
  }

  /** The session is over. */
  endAll(): void {
    const subscriptions = [...this.#byName.values()];
    this.#byName.clear();
    this.#byNumber.clear();
    this.#broker.unsubscribe(subscriptions);
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
