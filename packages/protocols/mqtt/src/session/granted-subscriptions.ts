import { WildcardIndex } from '@backlot/kit/wildcards';
import { encodeIdentifier } from '../wire/encode-properties.js';
import { filterTakes, TOPIC_SYNTAX } from '../wire/topic.js';

/** What a client was granted for a filter, with its options. */
export interface Granted {
  readonly qos: number;
  readonly noLocal: boolean;
  /** Whether messages come as retained where they were published so. */
  readonly keepsRetain: boolean;
  readonly identifier?: number | undefined;
}

/** How a client gets a message. */
export interface Receipt {
  readonly qos: number;
  readonly keepsRetain: boolean;
  /** The bytes of the identifiers of all subscriptions that take it (MQTT 5, section 3.3.4). */
  readonly identifiers: Buffer;
}

/** So few filters are looked at one by one. */
const FEW = 8;
const NO_BYTES = Buffer.alloc(0);

/** What a client was granted, by filter. */
export class GrantedSubscriptions {
  readonly #byFilter = new Map<string, Granted>();
  /** How many filters have QoS 0, 1 and 2. */
  readonly #counts: [number, number, number] = [0, 0, 0];
  #identified = 0;
  #retaining = 0;
  /** Made when it is needed for the first time. */
  #index: WildcardIndex<Granted> | undefined;

  get size(): number {
    return this.#byFilter.size;
  }

  get filters(): Iterable<string> {
    return this.#byFilter.keys();
  }

  has(filter: string): boolean {
    return this.#byFilter.has(filter);
  }

  set(filter: string, granted: Granted): void {
    this.delete(filter);
    this.#byFilter.set(filter, granted);
    this.#count(granted, 1);
    this.#index?.add(filter, granted);
  }

  /** @returns whether it was there */
  delete(filter: string): boolean {
    const granted = this.#byFilter.get(filter);
    if (granted === undefined) return false;
    this.#byFilter.delete(filter);
    this.#count(granted, -1);
    this.#index?.remove(filter, granted);
    return true;
  }

  /** Whether all subscriptions take a message of this QoS in the same way, as it is and without an identifier. */
  takeAlike(qos: number): boolean {
    const [none, once] = this.#counts;
    const lowest = none > 0 ? 0 : once > 0 ? 1 : 2;
    return qos <= lowest && this.#identified === 0 && this.#retaining === 0;
  }

  /**
   * How the client gets a message: with the highest QoS that was granted for the topic, at most its own
   * [MQTT-3.3.4-2].
   *
   * @param isOwn - whether the client itself has published it
   */
  receive(topic: string, qos: number, isOwn: boolean): Receipt {
    let highest = -1;
    let keepsRetain = false;
    const identifiers: Buffer[] = [];
    for (const granted of this.#taking(topic)) {
      if (isOwn && granted.noLocal) continue;
      highest = Math.max(highest, granted.qos);
      keepsRetain ||= granted.keepsRetain;
      if (granted.identifier !== undefined) identifiers.push(encodeIdentifier(granted.identifier));
    }
    return {
      qos: highest < 0 ? qos : Math.min(qos, highest),
      keepsRetain,
      identifiers: identifiers.length === 0 ? NO_BYTES : Buffer.concat(identifiers),
    };
  }

  #taking(topic: string): Iterable<Granted> {
    if (this.#byFilter.size > FEW) return this.#indexed().match(topic);
    const taking: Granted[] = [];
    for (const [filter, granted] of this.#byFilter) if (filterTakes(filter, topic)) taking.push(granted);
    return taking;
  }

  #indexed(): WildcardIndex<Granted> {
    if (this.#index !== undefined) return this.#index;
    const index = new WildcardIndex<Granted>(TOPIC_SYNTAX);
    for (const [filter, granted] of this.#byFilter) index.add(filter, granted);
    this.#index = index;
    return index;
  }

  #count({ qos, identifier, keepsRetain }: Granted, by: number): void {
    if (qos === 0 || qos === 1 || qos === 2) this.#counts[qos] += by;
    if (identifier !== undefined) this.#identified += by;
    if (keepsRetain) this.#retaining += by;
  }
}
