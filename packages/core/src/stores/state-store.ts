import type { StateCollection } from '../contract/host.js';
import type { State } from '../contract/context.js';
import { BacklotError, invalid } from '../errors.js';
import type { Clock } from '../time/clock.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { defineOwn, isObject, pointTo } from '../validation/pointer.js';
import { ProblemList } from '../validation/problem-list.js';
import { show } from '../validation/messages.js';

interface Entry {
  readonly value: string;
  readonly expiresAt: number | undefined;
}

/** What keys take. */
interface Room {
  keys: number;
  characters: number;
}

/** How many keys are gone through before others may be let in. */
const STEP = 1000;

/** A snapshot of the state, for reset and snapshots. */
export type SavedState = readonly (readonly [string, Entry])[];

/** How many keys there may be. */
export const MAX_STATE_KEYS = 1_000_000;
/** How many characters keys and values may have together. */
export const MAX_STATE_CHARACTERS = 64 * 1024 * 1024;

/** The key-value store that state conditions read. Expiry is looked at when a key is read; nothing sweeps. */
export class StateStore implements StateCollection, State {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  readonly #listeners = new Set<(key: string | undefined) => void>();
  /** Who is told of each key. */
  readonly #followers = new Set<(key: string) => void>();
  readonly #onFull: (message: string) => void;
  #characters = 0;
  /** What is being set takes, until all of it is. */
  readonly #reserved: Room = { keys: 0, characters: 0 };
  #isFull = false;

  /** @param onFull - told once when a message's state finds no room, and again after there was some */
  constructor(clock: Clock, onFull: (message: string) => void = () => undefined) {
    this.#clock = clock;
    this.#onFull = onFull;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt !== undefined && entry.expiresAt <= this.#clock.now()) {
      this.#remove(key, entry);
      return undefined;
    }
    return entry.value;
  }

  /** Sets a key for a message; where there is no room for it, it is left out. */
  set(key: string, value: string): void {
    const problem = this.#lackFor(key, value);
    if (problem !== undefined) {
      if (!this.#isFull) this.#onFull(`${problem}; keys that mocks set are left out`);
      this.#isFull = true;
      return;
    }
    this.#isFull = false;
    this.#put(key, { value, expiresAt: undefined });
    this.#changed(key);
  }

  all(): Readonly<Record<string, string>> {
    return this.pick(this.#entries.keys());
  }

  *entries(): Generator<readonly [key: string, value: string]> {
    let left = this.#entries.size;
    // A map may be changed while it is gone through; keys that come meanwhile stand behind those that are counted.
    for (const key of this.#entries.keys()) {
      if (left === 0) return;
      left -= 1;
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  pick(keys: Iterable<string>): Readonly<Record<string, string>> {
    const live: Record<string, string> = {};
    for (const key of keys) {
      const value = this.get(key);
      if (value === undefined) continue;
      if (key === '__proto__') defineOwn(live, key, value);
      else live[key] = value;
    }
    return live;
  }

  setAll(values: unknown, ttl?: number): void {
    runAtOnce(this.#setSteps(values, ttl));
  }

  async setAllInSlices(values: unknown, ttl?: number): Promise<void> {
    return runInSlices(this.#setSteps(values, ttl));
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#remove(key, entry);
    this.#changed(key);
  }

  deletePrefix(prefix: string): number {
    return runAtOnce(this.#deleteSteps(prefix));
  }

  async deletePrefixInSlices(prefix: string): Promise<number> {
    return runInSlices(this.#deleteSteps(prefix));
  }

  /** Calls back with the key that changed, or with nothing when all may have. */
  onChange(listener: (key: string | undefined) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Calls back with each key that is set or deleted; not with what a reset or a snapshot puts back.
   *
   * @returns a function that ends it
   */
  follow(follower: (key: string) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  save(): SavedState {
    return [...this.#entries];
  }

  restore(saved: SavedState): void {
    this.#entries.clear();
    this.#characters = 0;
    for (const [key, entry] of saved) this.#put(key, entry);
    this.#changed(undefined);
  }

  /** Each listener looks at what depends on a key, so that of many keys it is told once that all may have changed. */
  #changedAll(keys: readonly string[]): void {
    const [first] = keys;
    if (first === undefined) return;
    if (keys.length === 1) this.#changed(first);
    else {
      this.#changed(undefined);
      if (this.#followers.size > 0) for (const key of keys) this.#tell(key);
    }
  }

  /** Checks all, then makes room for all, then sets them: nothing fails once the first is set. */
  *#setSteps(values: unknown, ttl: number | undefined): Generator<undefined, void> {
    const given = yield* checkValues(values);
    const room = yield* this.#roomFor(given);
    this.#reserve(room, 1);
    try {
      const expiresAt = ttl === undefined ? undefined : this.#clock.now() + ttl;
      let untold: string[] = [];
      for (const [key, value] of given) {
        this.#put(key, { value, expiresAt });
        untold.push(key);
        if (untold.length < STEP) continue;
        // Whoever is let in now sees what has been set.
        this.#changedAll(untold);
        untold = [];
        yield;
      }
      this.#changedAll(untold);
    } finally {
      this.#reserve(room, -1);
    }
  }

  *#deleteSteps(prefix: string): Generator<undefined, number> {
    let deleted = 0;
    let left = this.#entries.size;
    let untold: string[] = [];
    // A map may be changed while it is gone through; keys that come meanwhile stand behind those that are counted.
    for (const [key, entry] of this.#entries) {
      if (left === 0) break;
      left -= 1;
      if (key.startsWith(prefix)) {
        if (this.get(key) !== undefined) untold.push(key);
        this.#remove(key, entry);
      }
      if (left % STEP !== 0) continue;
      // Whoever is let in now sees what has been deleted.
      deleted += untold.length;
      this.#changedAll(untold);
      untold = [];
      yield;
    }
    this.#changedAll(untold);
    return deleted + untold.length;
  }

  #put(key: string, entry: Entry): void {
    const before = this.#entries.get(key);
    this.#characters += entry.value.length - (before === undefined ? -key.length : before.value.length);
    this.#entries.set(key, entry);
  }

  #remove(key: string, { value }: Entry): void {
    if (this.#entries.delete(key)) this.#characters -= key.length + value.length;
  }

  /** What there is no room for, in words. */
  #lackFor(key: string, value: string): string | undefined {
    const before = this.#entries.get(key);
    if (before === undefined && this.#entries.size >= MAX_STATE_KEYS) return tooMany(this.#entries.size + 1);
    const characters =
      this.#characters + value.length - (before === undefined ? -key.length : before.value.length);
    return characters > MAX_STATE_CHARACTERS ? tooLong(characters) : undefined;
  }

  /** What keys take beside what is there. @throws BacklotError `too_large` when there is no room for it */
  *#roomFor(given: readonly (readonly [string, string])[]): Generator<undefined, Room> {
    let keys = 0;
    let characters = 0;
    let step = 0;
    for (const [key, value] of given) {
      const before = this.#entries.get(key);
      keys += before === undefined ? 1 : 0;
      characters += value.length - (before === undefined ? -key.length : before.value.length);
      step += 1;
      if (step % STEP === 0) yield;
    }
    const allKeys = this.#entries.size + this.#reserved.keys + keys;
    const allCharacters = this.#characters + this.#reserved.characters + characters;
    if (allKeys > MAX_STATE_KEYS) throw new BacklotError('too_large', tooMany(allKeys));
    if (allCharacters > MAX_STATE_CHARACTERS) throw new BacklotError('too_large', tooLong(allCharacters));
    return { keys, characters };
  }

  #reserve({ keys, characters }: Room, times: 1 | -1): void {
    this.#reserved.keys += times * keys;
    this.#reserved.characters += times * characters;
  }

  #changed(key: string | undefined): void {
    for (const listener of this.#listeners) listener(key);
    if (key !== undefined && this.#followers.size > 0) this.#tell(key);
  }

  #tell(key: string): void {
    for (const follower of [...this.#followers]) follower(key);
  }
}

function* checkValues(values: unknown): Generator<undefined, readonly (readonly [string, string])[]> {
  if (!isObject(values)) {
    const message = `must be an object of string values, got ${show(values)}`;
    throw invalid(`state ${message}`, [{ path: '', message }]);
  }
  // Of an object with very many members the values take several times as long as the names, and are read in steps.
  const keys = Object.keys(values);
  const entries: (readonly [string, string])[] = [];
  const problems = new ProblemList();
  yield;
  for (const [index, key] of keys.entries()) {
    const value = values[key];
    if (typeof value === 'string') entries.push([key, value]);
    else problems.add({ path: pointTo('', key), message: `must be a string, got ${show(value)}` });
    if (index % STEP === STEP - 1) yield;
  }
  const [first] = problems.problems;
  if (first === undefined) return entries;
  const more = problems.count - problems.problems.length;
  const rest = more === 0 ? [] : [{ path: '', message: `${more} more problems are not named` }];
  throw invalid(`state ${first.path.slice(1)} ${first.message}`, [...problems.problems, ...rest]);
}

function tooMany(keys: number): string {
  return `state would have ${keys} keys; at most ${MAX_STATE_KEYS} are kept`;
}

function tooLong(characters: number): string {
  return `state would have ${characters} characters; at most ${MAX_STATE_CHARACTERS} are kept`;
}
