import { suffixesOf } from '../wire/name.js';
import type { Found, Zone } from './zone.js';

/** The zones of all zone files. */
export class ZoneSet {
  readonly #zones = new Map<string, Zone>();

  get size(): number {
    return this.#zones.size;
  }

  /** @throws Error when there is a zone of the name already */
  add(zone: Zone): void {
    const { key, text } = zone.apex;
    if (this.#zones.has(key)) throw new Error(`the zone "${text}" is in a file before; name it once`);
    this.#zones.set(key, zone);
  }

  /** The zone that begins at a name. */
  at(key: string): Zone | undefined {
    return this.#zones.get(key);
  }

  /** Whether a zone has the name. */
  has(key: string): boolean {
    return this.#nearest(key)?.has(key) === true;
  }

  /** What the nearest zone at or above the name says, see {@link Zone.find}; undefined when there is none. */
  find(key: string, type: number, isTaken: (key: string) => boolean): Found | undefined {
    return this.#nearest(key)?.find(key, type, isTaken);
  }

  #nearest(key: string): Zone | undefined {
    if (this.#zones.size === 0) return undefined;
    for (const name of suffixesOf(key)) {
      const zone = this.#zones.get(name);
      if (zone !== undefined) return zone;
    }
    return this.#zones.get('.');
  }
}
