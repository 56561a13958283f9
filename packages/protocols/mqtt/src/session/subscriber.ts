import { isShared, parseShared, type SharedMember } from '../broker/shared-subscriptions.js';
import type { Session } from '../broker/sessions.js';
import { MqttMessage } from '../mqtt-message.js';
import { encodeGrants } from '../wire/encode.js';
import { PACKET } from '../wire/packet-type.js';
import type { SubscribePacket, Subscription, UnsubscribePacket } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { ProtocolError, REASON } from '../wire/protocol-error.js';
import { filterProblem, filterTakes } from '../wire/topic.js';
import type { Peer } from './peer.js';

const MOST_SUBSCRIPTIONS = 10_000;

/** One filter of a SUBSCRIBE and what became of it; without a code the broker has still to say. */
interface Granting {
  readonly filter: string;
  readonly code: number | undefined;
}

/** Subscriptions of one client. */
export class Subscriber implements SharedMember {
  readonly #peer: Peer;
  readonly #qos = new Map<string, number>();
  readonly #shared = new Set<string>();
  readonly #subscribing = new Map<number, readonly Granting[]>();
  readonly #unsubscribing = new Map<number, readonly number[]>();
  #lowest = 2;

  constructor(peer: Peer, session: Session | undefined) {
    this.#peer = peer;
    for (const { topic, qos } of session?.subscriptions.values() ?? []) this.#qos.set(topic, qos);
    this.#measure();
  }

  subscribe({ id, subscriptions, properties }: SubscribePacket): void {
    if (properties.number(PROPERTY.SUBSCRIPTION_IDENTIFIER) !== undefined) {
      throw new ProtocolError(
        REASON.SUBSCRIPTION_IDENTIFIERS_UNSUPPORTED,
        'subscription identifiers are not served, as the CONNACK said',
      );
    }
    const grantings: Granting[] = [];
    const wanted = new Map<string, object>();
    for (const subscription of subscriptions) {
      const code = this.#check(subscription);
      grantings.push({ filter: subscription.filter, code });
      if (code === undefined) wanted.set(subscription.filter, this.#toBroker(subscription));
    }
    for (const { filter, qos } of subscriptions) if (wanted.has(filter)) this.#qos.set(filter, qos);
    this.#measure();
    this.#subscribing.set(id, grantings);
    if (wanted.size === 0) return this.granted(id, []);
    const packet = { cmd: 'subscribe', messageId: id, subscriptions: [...wanted.values()] };
    this.#peer.client.subscribe(packet, this.#failed);
  }

  /** The broker's SUBACK: its codes are those of the different filters it was asked for, in order. */
  granted(id: number, codes: readonly number[]): void {
    const grantings = this.#subscribing.get(id) ?? [];
    this.#subscribing.delete(id);
    const asked = [
      ...new Set(grantings.filter(({ code }) => code === undefined).map(({ filter }) => filter)),
    ];
    const byFilter = new Map(asked.map((filter, index) => [filter, codes[index] ?? REASON.UNSPECIFIED]));
    const { version, context } = this.#peer;
    const answers = grantings.map(({ filter, code }) => code ?? byFilter.get(filter) ?? REASON.UNSPECIFIED);
    this.#peer.send(encodeGrants(version, PACKET.SUBACK, id, answers));
    grantings.forEach(({ filter }, index) => {
      const message = new MqttMessage('SUBSCRIBE', filter, this.#peer);
      context.receive(message).done({ status: answers[index] ?? 0 });
    });
  }

  unsubscribe({ id, filters }: UnsubscribePacket): void {
    const leaving: string[] = [];
    const codes = filters.map((filter) => {
      if (this.#leaveShared(filter)) return REASON.SUCCESS;
      if (!this.#qos.delete(filter)) return REASON.NO_SUBSCRIPTION_EXISTED;
      leaving.push(filter);
      return REASON.SUCCESS;
    });
    this.#measure();
    this.#unsubscribing.set(id, codes);
    if (leaving.length === 0) return this.removed(id);
    const packet = { cmd: 'unsubscribe', messageId: id, unsubscriptions: leaving };
    this.#peer.client.unsubscribe(packet, this.#failed);
  }

  /** The broker's UNSUBACK. */
  removed(id: number): void {
    const codes = this.#unsubscribing.get(id) ?? [];
    this.#unsubscribing.delete(id);
    this.#peer.send(encodeGrants(this.#peer.version, PACKET.UNSUBACK, id, codes));
  }

  /** The highest QoS that was granted for a topic, at most that of the message [MQTT-3.8.4-6]. */
  limitQos(topic: string, qos: number): number {
    if (qos <= this.#lowest) return qos;
    let highest = -1;
    for (const [filter, granted] of this.#qos) {
      if (granted > highest && filterTakes(filter, topic)) highest = granted;
    }
    return highest < 0 ? qos : Math.min(qos, highest);
  }

  takeShared(topic: string, payload: Buffer, qos: number): void {
    const packet = {
      cmd: 'publish',
      topic,
      payload,
      qos: qos as 0 | 1 | 2,
      retain: false,
      dup: false,
    } as const;
    this.#peer.client.publish(packet, () => undefined);
  }

  /** The connection is gone. */
  leave(): void {
    for (const key of this.#shared) this.#peer.broker.shared.remove(key, this);
    this.#shared.clear();
  }

  /** A code when it can be said without the broker. */
  #check({ filter, qos, noLocal }: Subscription): number | undefined {
    if (this.#qos.size + this.#shared.size >= MOST_SUBSCRIPTIONS && !this.#qos.has(filter)) {
      return REASON.QUOTA_EXCEEDED;
    }
    if (!isShared(filter)) return filterProblem(filter) === undefined ? undefined : REASON.FILTER_INVALID;
    if (this.#peer.version === 5 && noLocal) {
      throw new ProtocolError(REASON.PROTOCOL_ERROR, 'a shared subscription has No Local set'); // [MQTT-3.8.3-4]
    }
    const name = parseShared(filter);
    if (name === undefined) return REASON.FILTER_INVALID;
    this.#shared.add(name.key);
    this.#peer.broker.shared.add(name, this, qos);
    return qos;
  }

  #toBroker({ filter, qos, noLocal, retainAsPublished, retainHandling }: Subscription): object {
    if (this.#peer.version !== 5) return { topic: filter, qos };
    const isRepeated = this.#qos.has(filter);
    const rh = retainHandling === 1 && isRepeated ? 2 : retainHandling;
    return { topic: filter, qos, nl: noLocal, rap: retainAsPublished, rh };
  }

  #leaveShared(filter: string): boolean {
    if (!this.#shared.delete(filter)) return false;
    this.#peer.broker.shared.remove(filter, this);
    return true;
  }

  #measure(): void {
    this.#lowest = Math.min(2, ...this.#qos.values());
  }

  readonly #failed = (error?: Error): void => {
    if (error instanceof Error) this.#peer.close(REASON.UNSPECIFIED);
  };
}
