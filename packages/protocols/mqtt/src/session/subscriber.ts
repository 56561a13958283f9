import type { Emitted } from '../broker/emitter.js';
import type { RetainedRequest } from '../broker/persistence.js';
import type { Flow } from '../broker/retained-stream.js';
import { isShared, parseShared, type SharedMember } from '../broker/shared-subscriptions.js';
import type { Session } from '../broker/sessions.js';
import { MqttMessage } from '../message.js';
import { encodeGrants } from '../wire/encode.js';
import { PACKET } from '../wire/packet-type.js';
import type { SubscribePacket, Subscription, UnsubscribePacket } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { ProtocolError, REASON } from '../wire/protocol-error.js';
import { filterProblem } from '../wire/topic.js';
import { GrantedQos } from './granted-qos.js';
import type { Peer } from './peer.js';

const MAX_SUBSCRIPTIONS = 10_000;
/** Bytes of all filters of a client. */
const MAX_FILTER_BYTES = 4 * 1024 * 1024;
/** Filters that are handled at once; of a longer packet others are let in between. */
const AT_ONCE = 200;
/**
 * Subscriptions whose retained messages are sent at one time; while there are more, nothing is read of the client.
 */
const MAX_RETRIEVALS = 8;

/**
 * One filter of a SUBSCRIBE (MQTT 5, section 3.8.3) and what became of it; without a code the broker has still to say.
 */
interface Granting {
  readonly filter: string;
  readonly code: number | undefined;
}

/** A subscription as the broker takes it. */
interface Asked {
  readonly topic: string;
  readonly qos: number;
  readonly rh?: number;
}

/** A SUBSCRIBE under way (MQTT 5, section 3.8). */
interface Subscribing {
  readonly grantings: Granting[];
  /** The broker's codes so far, by filter. */
  readonly codes: Map<string, number>;
  /** The filters of the parts that the broker has still to answer. */
  readonly parts: (readonly string[])[];
  /** Whether it is handled in parts while nothing is read of the client. */
  readonly isLong: boolean;
  /** Whether all parts are with the broker. */
  isWhole: boolean;
}

/** Subscriptions of one client. */
export class Subscriber implements SharedMember {
  readonly #peer: Peer;
  readonly #granted: GrantedQos;
  readonly #shared = new Set<string>();
  readonly #subscribing = new Map<number, Subscribing>();
  readonly #unsubscribing = new Map<number, { readonly codes: number[]; parts: number; isWhole: boolean }>();
  /** Whose retained messages a SUBSCRIBE in parts wants, once all parts are with the broker. */
  #retainedFilters: readonly string[] | undefined;
  #filterBytes = 0;
  #retrievals = 0;

  constructor(peer: Peer, session: Session | undefined) {
    this.#peer = peer;
    this.#granted = new GrantedQos(session?.subscriptions.values() ?? []);
    for (const filter of session?.subscriptions.keys() ?? []) this.#filterBytes += filter.length;
  }

  /** The filters that it has subscribed to. */
  get filters(): Iterable<string> {
    return this.#granted.filters;
  }

  subscribe({ id, subscriptions, properties }: SubscribePacket): void {
    if (properties.number(PROPERTY.SUBSCRIPTION_IDENTIFIER) !== undefined) {
      throw new ProtocolError(
        REASON.SUBSCRIPTION_IDENTIFIERS_UNSUPPORTED,
        'subscription identifiers are not served, as the CONNACK said',
      );
    }
    if (
      this.#peer.version === 5 &&
      subscriptions.some(({ filter, noLocal }) => noLocal && isShared(filter))
    ) {
      throw new ProtocolError(REASON.PROTOCOL_ERROR, 'a shared subscription has No Local set'); // [MQTT-3.8.3-4]
    }
    const isLong = subscriptions.length > AT_ONCE;
    const under: Subscribing = { grantings: [], codes: new Map(), parts: [], isLong, isWhole: !isLong };
    this.#subscribing.set(id, under);
    if (isLong) {
      this.#peer.hold();
      this.#peer.broker.jobs.add(this.#subscribeInParts(id, under, subscriptions));
      return;
    }
    const wanted = this.#prepare(under, subscriptions);
    if (wanted.length === 0) this.#answer(id, under);
    else this.#ask(id, under, wanted);
  }

  /** The broker's SUBACK: its codes are those of the different filters it was asked for, in order. */
  granted(id: number, codes: readonly number[]): void {
    const under = this.#subscribing.get(id);
    if (under === undefined) return;
    const filters = under.parts.shift() ?? [];
    filters.forEach((filter, index) => under.codes.set(filter, codes[index] ?? REASON.UNSPECIFIED));
    if (under.isWhole && under.parts.length === 0) this.#answer(id, under);
  }

  unsubscribe({ id, filters }: UnsubscribePacket): void {
    const under = { codes: [], parts: 0, isWhole: filters.length <= AT_ONCE };
    this.#unsubscribing.set(id, under);
    if (under.isWhole) {
      this.#unask(id, under, filters);
      if (under.parts === 0) this.#sendUnsuback(id, under.codes);
      return;
    }
    this.#peer.hold();
    this.#peer.broker.jobs.add(this.#unsubscribeInParts(id, under, filters));
  }

  /** The broker's UNSUBACK. */
  removed(id: number): void {
    const under = this.#unsubscribing.get(id);
    if (under === undefined) return;
    under.parts -= 1;
    if (under.isWhole && under.parts === 0) this.#sendUnsuback(id, under.codes);
  }

  /** The highest QoS that was granted for a topic, at most that of the message [MQTT-3.8.4-8]. */
  limitQos(topic: string, qos: number): number {
    return this.#granted.limit(topic, qos);
  }

  takeShared(group: string, { topic, payload, qos = 0 }: Emitted, highest: number, done: () => void): void {
    const packet = {
      cmd: 'publish' as const,
      topic,
      payload: payload ?? '',
      qos: Math.min(qos, highest) as 0 | 1 | 2,
      retain: false,
      dup: false,
      // Repetitions are told by number within one broker: as another one, it never passes for a repetition of a message
      // that a subscription of the client's own has brought.
      brokerId: group,
    };
    this.#peer.client.publish(packet, () => done());
  }

  askForRetained(
    subscriptions: readonly { readonly topic: string; readonly rh?: number }[],
    flow: Flow,
  ): RetainedRequest {
    const later = this.#retainedFilters;
    this.#retainedFilters = undefined;
    const filters = later ?? retainedOf(subscriptions);
    if (filters.length > 0) this.#retrieve(1);
    return { filters, flow, done: () => this.#retrieve(-1) };
  }

  /** The connection is gone. */
  leave(): void {
    for (const key of this.#shared) this.#peer.broker.shared.remove(key, this);
    this.#shared.clear();
  }

  *#subscribeInParts(id: number, under: Subscribing, all: readonly Subscription[]): Generator {
    const retained: string[] = [];
    let last: Asked[] = [];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      if (this.#peer.client.closed) return;
      const wanted = this.#prepare(under, all.slice(from, from + AT_ONCE));
      for (const filter of retainedOf(wanted)) retained.push(filter);
      if (wanted.length === 0) continue;
      if (last.length > 0) this.#ask(id, under, last);
      last = wanted.map((asked) => ({ ...asked, rh: 2 }));
      yield;
    }
    under.isWhole = true;
    this.#retainedFilters = last.length > 0 ? retained : undefined;
    if (last.length > 0) this.#ask(id, under, last);
    else this.#answer(id, under);
  }

  *#unsubscribeInParts(
    id: number,
    under: { readonly codes: number[]; parts: number; isWhole: boolean },
    all: readonly string[],
  ): Generator {
    for (let from = 0; from < all.length; from += AT_ONCE) {
      if (this.#peer.client.closed) return;
      this.#unask(id, under, all.slice(from, from + AT_ONCE));
      yield;
    }
    under.isWhole = true;
    if (under.parts === 0) this.#sendUnsuback(id, under.codes);
  }

  /** Checks filters, and notes those that are asked of the broker. */
  #prepare({ grantings }: Subscribing, subscriptions: readonly Subscription[]): Asked[] {
    const wanted = new Map<string, Asked>();
    for (const subscription of subscriptions) {
      const { filter, qos } = subscription;
      const code = this.#check(subscription);
      grantings.push({ filter, code });
      if (code !== undefined) continue;
      const isRepeated = this.#granted.has(filter) && !wanted.has(filter);
      wanted.set(filter, this.#toBroker(subscription, isRepeated));
      if (!this.#granted.has(filter)) this.#filterBytes += filter.length;
      this.#granted.set(filter, qos);
    }
    return [...wanted.values()];
  }

  #ask(id: number, { parts }: Subscribing, wanted: readonly Asked[]): void {
    parts.push(wanted.map(({ topic }) => topic));
    this.#peer.client.subscribe({ cmd: 'subscribe', messageId: id, subscriptions: wanted }, this.#failed);
  }

  #unask(id: number, under: { readonly codes: number[]; parts: number }, filters: readonly string[]): void {
    const leaving: string[] = [];
    for (const filter of filters) {
      const isKnown = this.#leaveShared(filter) || this.#granted.has(filter);
      under.codes.push(isKnown ? REASON.SUCCESS : REASON.NO_SUBSCRIPTION_EXISTED);
      if (!this.#granted.delete(filter)) continue;
      this.#filterBytes -= filter.length;
      leaving.push(filter);
    }
    if (leaving.length === 0) return;
    under.parts += 1;
    this.#peer.client.unsubscribe(
      { cmd: 'unsubscribe', messageId: id, unsubscriptions: leaving },
      this.#failed,
    );
  }

  #answer(id: number, { grantings, codes, isLong }: Subscribing): void {
    this.#subscribing.delete(id);
    const { version, broker } = this.#peer;
    const answers = grantings.map(({ filter, code }) => code ?? codes.get(filter) ?? REASON.UNSPECIFIED);
    this.#peer.send(encodeGrants(version, PACKET.SUBACK, id, answers));
    const noting = this.#note(grantings, answers);
    if (!isLong) {
      while (noting.next().done !== true);
      return;
    }
    broker.jobs.add(noting);
    this.#peer.release();
  }

  /** In the journal every filter has an entry. */
  *#note(grantings: readonly Granting[], answers: readonly number[]): Generator {
    for (const [index, { filter }] of grantings.entries()) {
      const message = new MqttMessage('SUBSCRIBE', filter, this.#peer);
      this.#peer.context.receive(message).done({ status: answers[index] ?? 0 });
      yield;
    }
  }

  #sendUnsuback(id: number, codes: readonly number[]): void {
    this.#unsubscribing.delete(id);
    this.#peer.send(encodeGrants(this.#peer.version, PACKET.UNSUBACK, id, codes));
    if (codes.length > AT_ONCE) this.#peer.release();
  }

  /** A code when it can be said without the broker. */
  #check({ filter, qos }: Subscription): number | undefined {
    const { broker } = this.#peer;
    const isNew = !this.#granted.has(filter) && !this.#shared.has(filter);
    if (isNew && (this.#hasAll(filter) || broker.hasAllSubscriptions)) return REASON.QUOTA_EXCEEDED;
    if (!isShared(filter)) return filterProblem(filter) === undefined ? undefined : REASON.FILTER_INVALID;
    const name = parseShared(filter);
    if (name === undefined) return REASON.FILTER_INVALID;
    if (isNew) this.#filterBytes += filter.length;
    this.#shared.add(name.key);
    broker.shared.add(name, this, qos);
    return qos;
  }

  #hasAll(filter: string): boolean {
    return (
      this.#granted.size + this.#shared.size >= MAX_SUBSCRIPTIONS ||
      this.#filterBytes + filter.length > MAX_FILTER_BYTES
    );
  }

  #toBroker(
    { filter, qos, noLocal, retainAsPublished, retainHandling }: Subscription,
    isRepeated: boolean,
  ): Asked & object {
    if (this.#peer.version !== 5) return { topic: filter, qos };
    const rh = retainHandling === 1 && isRepeated ? 2 : retainHandling;
    return { topic: filter, qos, nl: noLocal, rap: retainAsPublished, rh } as Asked;
  }

  #leaveShared(filter: string): boolean {
    if (!this.#shared.delete(filter)) return false;
    this.#filterBytes -= filter.length;
    this.#peer.broker.shared.remove(filter, this);
    return true;
  }

  #retrieve(more: 1 | -1): void {
    const wasFull = this.#retrievals >= MAX_RETRIEVALS;
    this.#retrievals += more;
    const isFull = this.#retrievals >= MAX_RETRIEVALS;
    if (isFull && !wasFull) this.#peer.hold();
    else if (wasFull && !isFull) this.#peer.release();
  }

  readonly #failed = (error?: Error): void => {
    if (error instanceof Error) this.#peer.close(REASON.UNSPECIFIED);
  };
}

function retainedOf(subscriptions: readonly { readonly topic: string; readonly rh?: number }[]): string[] {
  return subscriptions.filter(({ rh }) => rh !== 2).map(({ topic }) => topic);
}
