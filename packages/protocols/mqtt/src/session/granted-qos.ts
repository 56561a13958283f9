import { WildcardIndex } from '@backlot/kit/wildcards';
import { filterTakes, TOPIC_SYNTAX } from '../wire/topic.js';

interface Granted {
  readonly qos: number;
}

/** So few filters are looked at one by one. */
const FEW = 8;

/** The QoS that was granted for each filter of a client. */
export class GrantedQos {
  readonly #byFilter = new Map<string, Granted>();
  /** How many filters have QoS 0, 1 and 2. */
  readonly #counts: [number, number, number] = [0, 0, 0];
  /** Made when it is needed for the first time. */
  #index: WildcardIndex<Granted> | undefined;

  constructor(granted: Iterable<{ readonly topic: string; readonly qos: number }>) {
    for (const { topic, qos } of granted) this.set(topic, qos);
  }

  get size(): number {
    return this.#byFilter.size;
  }

  get filters(): Iterable<string> {
    return this.#byFilter.keys();
  }

  has(filter: string): boolean {
    return this.#byFilter.has(filter);
  }

  set(filter: string, qos: number): void {
    this.delete(filter);
    const granted = { qos };
    this.#byFilter.set(filter, granted);
    this.#count(qos, 1);
    this.#index?.add(filter, granted);
  }

  /** @returns whether it was there */
  delete(filter: string): boolean {
    const granted = this.#byFilter.get(filter);
    if (granted === undefined) return false;
    this.#byFilter.delete(filter);
    this.#count(granted.qos, -1);
    this.#index?.remove(filter, granted);
    return true;
  }

  /** The highest QoS that was granted for a topic, at most that of the message [MQTT-3.8.4-8]. */
  limit(topic: string, qos: number): number {
    const [none, once] = this.#counts;
    const lowest = none > 0 ? 0 : once > 0 ? 1 : 2;
    if (qos <= lowest) return qos;
    let highest = -1;
    for (const granted of this.#taking(topic)) highest = Math.max(highest, granted.qos);
    return highest < 0 ? qos : Math.min(qos, highest);
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

  #count(qos: number, by: number): void {
    if (qos === 0 || qos === 1 || qos === 2) this.#counts[qos] += by;
  }
}
