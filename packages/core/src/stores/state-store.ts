import type { StateCollection } from '../contract/host.js';
import type { StateReader } from '../contract/context.js';
import { invalid, type Problem } from '../errors.js';
import type { Clock } from '../time/clock.js';
import { defineOwn, isObject, pointTo } from '../validation/pointer.js';
import { show } from '../validation/messages.js';

/** So many problems of one request are named. */
const MOST_PROBLEMS = 100;

interface Entry {
  readonly value: string;
  readonly expiresAt: number | undefined;
}

/** A picture of the state, for reset and snapshots. */
export type SavedState = readonly (readonly [string, Entry])[];

/** The key-value store that state conditions read. Expiry is looked at when a key is read; nothing sweeps. */
export class StateStore implements StateCollection, StateReader {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  readonly #listeners = new Set<(key: string | undefined) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt !== undefined && entry.expiresAt <= this.#clock.now()) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry.value;
  }

  set(key: string, value: string): void {
    this.#entries.set(key, { value, expiresAt: undefined });
    this.#changed(key);
  }

  all(): Readonly<Record<string, string>> {
    const live = {};
    for (const [key, value] of this.entries()) defineOwn(live, key, value);
    return live;
  }

  entries(): readonly (readonly [key: string, value: string])[] {
    const live: (readonly [string, string])[] = [];
    for (const key of this.#entries.keys()) {
      const value = this.get(key);
      if (value !== undefined) live.push([key, value]);
    }
    return live;
  }

  setAll(values: unknown, ttl?: number): void {
    if (!isObject(values)) {
      const message = `must be an object of string values, got ${show(values)}`;
      throw invalid(`state ${message}`, [{ path: '', message }]);
    }
    const problems: Problem[] = [];
    const entries = Object.entries(values);
    for (const [key, value] of entries) {
      if (typeof value === 'string') continue;
      problems.push({ path: pointTo('', key), message: `must be a string, got ${show(value)}` });
      if (problems.length === MOST_PROBLEMS) break;
    }
    const [first] = problems;
    if (first !== undefined) throw invalid(`state ${first.path.slice(1)} ${first.message}`, problems);
    const expiresAt = ttl === undefined ? undefined : this.#clock.now() + ttl;
    for (const [key, value] of entries) this.#entries.set(key, { value: value as string, expiresAt });
    this.#changedAll(entries.map(([key]) => key));
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.#changed(key);
  }

  deletePrefix(prefix: string): number {
    const deleted: string[] = [];
    for (const key of [...this.#entries.keys()]) {
      if (!key.startsWith(prefix)) continue;
      if (this.get(key) !== undefined) deleted.push(key);
      this.#entries.delete(key);
    }
    this.#changedAll(deleted);
    return deleted.length;
  }

  /** Calls back with the key that changed, or with nothing when all may have. */
  onChange(listener: (key: string | undefined) => void): void {
    this.#listeners.add(listener);
  }

  save(): SavedState {
    return [...this.#entries];
  }

  restore(saved: SavedState): void {
    this.#entries.clear();
    for (const [key, entry] of saved) this.#entries.set(key, entry);
    this.#changed(undefined);
  }

  /** Each listener looks at what depends on a key, so that of many keys it is told once that all may have changed. */
  #changedAll(keys: readonly string[]): void {
    if (keys.length > 0) this.#changed(keys.length === 1 ? keys[0] : undefined);
  }

  #changed(key: string | undefined): void {
    for (const listener of this.#listeners) listener(key);
  }
}
