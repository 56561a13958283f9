import { SHARED_ORIGIN, addressShared } from '../broker/away-member.js';
import { BROKER_ID, type Asked, type Forwarded } from '../broker/broker.js';
import type { Emitted } from '../broker/emitter.js';
import type { RetainedRequest } from '../broker/persistence.js';
import type { Flow } from '../broker/retained-stream.js';
import {
  isShared,
  parseShared,
  type SharedMember,
  type SharedOptions,
} from '../broker/shared-subscriptions.js';
import type { Session, StoredSubscription } from '../broker/sessions.js';
import { MqttMessage } from '../message.js';
import { encodeIdentifier } from '../wire/encode-properties.js';
import { encodeGrants } from '../wire/encode.js';
import { PACKET } from '../wire/packet-type.js';
import type { SubscribePacket, Subscription, UnsubscribePacket } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { ProtocolError, REASON } from '../wire/protocol-error.js';
import { filterProblem } from '../wire/topic.js';
import { GrantedSubscriptions } from './granted-subscriptions.js';
import { retainedOf, toStored } from './stored-subscription.js';
import type { Granting, Subscribing } from './subscribing.js';
import type { Peer } from './peer.js';

const NO_BYTES = Buffer.alloc(0);
const MAX_SUBSCRIPTIONS = 10_000;
/** Bytes of all filters of a client. */
const MAX_FILTER_BYTES = 4 * 1024 * 1024;
/** Filters that are handled at once; of a longer packet others are let in between. */
const AT_ONCE = 200;
/**
 * Subscriptions whose retained messages are sent at one time; while there are more, nothing is read of the client.
 */
const MAX_RETRIEVALS = 8;

/** Subscriptions of one client. */
export class Subscriber implements SharedMember {
  readonly isAway = false;
  readonly #peer: Peer;
  readonly #session: Session | undefined;
  readonly #isBridge: boolean;
  readonly #granted = new GrantedSubscriptions();
  /** Shared subscriptions, by their whole filter; those of a session outlive the connection. */
  readonly #shared: Map<string, SharedOptions>;
  readonly #subscribing = new Map<number, Subscribing>();
  readonly #unsubscribing = new Map<number, { readonly codes: number[]; parts: number; isWhole: boolean }>();
  /** Whose retained messages a SUBSCRIBE in parts wants, once all parts are with the broker. */
  #retainedFilters: readonly string[] | undefined;
  #filterBytes = 0;
  #retrievals = 0;

  constructor(peer: Peer, session: Session | undefined, isBridge: boolean) {
    this.#peer = peer;
    this.#session = session;
    this.#isBridge = isBridge && peer.version !== 5;
    this.#shared = session?.shared ?? new Map<string, SharedOptions>();
    for (const { topic, granted, nl, keepsRetain, identifier } of session?.subscriptions.values() ?? []) {
      this.#granted.set(topic, { qos: granted, noLocal: nl === true, keepsRetain, identifier });
      this.#filterBytes += topic.length;
    }
    for (const filter of this.#shared.keys()) this.#filterBytes += filter.length;
  }

  /** The client may be sent messages: it is a member of the groups of its session. */
  join(): void {
    const { shared, sessions } = this.#peer.broker;
    for (const [key, options] of this.#shared) {
      const name = parseShared(key);
      if (name !== undefined) shared.add(name, this, options);
    }
    if (this.#session !== undefined) sessions.comeBack(this.#session);
  }

  /** The filters that it has subscribed to. */
  get filters(): Iterable<string> {
    return this.#granted.filters;
  }

  subscribe({ id, subscriptions, properties }: SubscribePacket): void {
    if (
      this.#peer.version === 5 &&
      subscriptions.some(({ filter, noLocal }) => noLocal && isShared(filter))
    ) {
      throw new ProtocolError(REASON.PROTOCOL_ERROR, 'a shared subscription has No Local set'); // [MQTT-3.8.3-4]
    }
    const identifier = properties.number(PROPERTY.SUBSCRIPTION_IDENTIFIER);
    const isLong = subscriptions.length > AT_ONCE;
    const under: Subscribing = { grantings: [], codes: new Map(), parts: [], isLong, isWhole: !isLong };
    this.#subscribing.set(id, under);
    if (isLong) {
      this.#peer.hold();
      this.#peer.broker.jobs.add(this.#subscribeInParts(id, under, subscriptions, identifier));
      return;
    }
    const wanted = this.#check(under, subscriptions, identifier);
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

  /** Makes of a message what the subscriptions ask for: all of them together, where several take it. */
  prepare(message: Forwarded): void {
    const { topic, brokerId, clientId } = message;
    if (brokerId === SHARED_ORIGIN) return;
    const isKept = brokerId !== BROKER_ID;
    const { retain } = message;
    // One that is kept for its topic comes as retained, and has got the identifier of the SUBSCRIBE already.
    if (!isKept) message.retain = false;
    if (this.#granted.takeAlike(message.qos)) return;
    const { clientId: own, broker } = this.#peer;
    const receipt = this.#granted.receive(topic, message.qos, !isKept && clientId === own);
    message.qos = receipt.qos;
    const asRetained = retain && receipt.keepsRetain;
    if (isKept || (receipt.identifiers.length === 0 && !asRetained)) return;
    message.payload = broker.envelope.address(Buffer.from(message.payload), receipt.identifiers, asRetained);
  }

  takeShared({ topic, payload = '', qos = 0 }: Emitted, options: SharedOptions, done: () => void): boolean {
    const { client, broker } = this.#peer;
    if (client.closed) return false;
    const packet = {
      cmd: 'publish' as const,
      topic,
      payload: addressShared(broker.envelope, Buffer.from(payload), options),
      qos: Math.min(qos, options.qos) as 0 | 1 | 2,
      retain: false,
      dup: false,
      // Repetitions are told by number within one broker: as another one, it never passes for a repetition of a message
      // that a subscription of the client's own has brought.
      brokerId: SHARED_ORIGIN,
    };
    client.publish(packet, () => done());
    return true;
  }

  askForRetained(subscriptions: readonly Asked[], flow: Flow): RetainedRequest {
    const identifier = subscriptions[0]?.identifier;
    const later = this.#retainedFilters;
    this.#retainedFilters = undefined;
    const filters = later ?? retainedOf(subscriptions);
    if (filters.length > 0) this.#retrieve(1);
    return {
      filters,
      identifiers: identifier === undefined ? NO_BYTES : encodeIdentifier(identifier),
      flow,
      done: () => this.#retrieve(-1),
    };
  }

  /** The connection is gone. */
  leave(): void {
    for (const key of this.#shared.keys()) this.#peer.broker.shared.remove(key, this);
  }

  *#subscribeInParts(
    id: number,
    under: Subscribing,
    all: readonly Subscription[],
    identifier: number | undefined,
  ): Generator {
    const retained: string[] = [];
    let last: StoredSubscription[] = [];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      if (this.#peer.client.closed) return;
      const wanted = this.#check(under, all.slice(from, from + AT_ONCE), identifier);
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
  #check(
    { grantings }: Subscribing,
    subscriptions: readonly Subscription[],
    identifier: number | undefined,
  ): StoredSubscription[] {
    const wanted = new Map<string, StoredSubscription>();
    for (const subscription of subscriptions) {
      const { filter, qos } = subscription;
      const code = this.#decide(subscription, identifier);
      grantings.push({ filter, qos, code });
      if (code !== undefined) continue;
      const isRepeated = this.#granted.has(filter) && !wanted.has(filter);
      const asked = toStored(subscription, { isRepeated, isBridge: this.#isBridge, identifier });
      wanted.set(filter, asked);
      if (!this.#granted.has(filter)) this.#filterBytes += filter.length;
      const { nl: noLocal = false, keepsRetain } = asked;
      this.#granted.set(filter, { qos, noLocal, keepsRetain, identifier });
    }
    return [...wanted.values()];
  }

  #ask(id: number, { parts }: Subscribing, wanted: readonly StoredSubscription[]): void {
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
    const answers = grantings.map(({ filter, qos, code }) => {
      const given = code ?? codes.get(filter) ?? REASON.UNSPECIFIED;
      return given >= REASON.UNSPECIFIED ? given : qos;
    });
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
  #decide({ filter, qos }: Subscription, identifier: number | undefined): number | undefined {
    const { broker } = this.#peer;
    const isNew = !this.#granted.has(filter) && !this.#shared.has(filter);
    if (isNew && (this.#hasAll(filter) || broker.hasAllSubscriptions)) return REASON.QUOTA_EXCEEDED;
    if (!isShared(filter)) return filterProblem(filter) === undefined ? undefined : REASON.FILTER_INVALID;
    const name = parseShared(filter);
    if (name === undefined) return REASON.FILTER_INVALID;
    if (isNew) this.#filterBytes += filter.length;
    this.#shared.set(name.key, { qos, identifier });
    broker.shared.add(name, this, { qos, identifier });
    return qos;
  }

  #hasAll(filter: string): boolean {
    return (
      this.#granted.size + this.#shared.size >= MAX_SUBSCRIPTIONS ||
      this.#filterBytes + filter.length > MAX_FILTER_BYTES
    );
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
