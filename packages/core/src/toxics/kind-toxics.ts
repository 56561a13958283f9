import type { ActiveToxic, KindToxics, StoredToxic, ToxicFeed } from '../contract/toxics.js';
import { BacklotError, invalid, type Problem } from '../errors.js';
import { randomFor, type Random } from '../random/random.js';
import type { Clock, Waiting } from '../time/clock.js';
import { parseDuration } from '../time/duration.js';
import { pointTo } from '../validation/pointer.js';
import { activateToxic, checkToxic, type ToxicPlace } from './toxic-check.js';

/** Toxics of one kind at one time; each connection looks at all of them. */
const MAX_TOXICS = 100;

interface Entry {
  readonly toxic: StoredToxic;
  /** By the clock of the host; absent for one that lasts. */
  readonly expiresAt: number | undefined;
  readonly waiting: Waiting | undefined;
}

/** A snapshot of the toxics that were set. */
export type SavedToxics = readonly (readonly [toxic: StoredToxic, expiresAt: number | undefined])[];

/** What the toxics of a kind need. */
export interface ToxicSurroundings {
  readonly clock: Clock;
  readonly seed: number;
  /** Those of active scenarios for the kind, in order of activation. */
  overlays(kind: string): readonly StoredToxic[];
  /** Told what the service has thrown when its toxics changed. */
  onThrown(kind: string, thrown: unknown): void;
}

/** The toxics of one kind: those that were set, and what they are together with those of active scenarios. */
export class ToxicsOfKind implements KindToxics, ToxicFeed {
  readonly place: ToxicPlace;
  readonly #surroundings: ToxicSurroundings;
  readonly #entries = new Map<string, Entry>();
  readonly #activated = new WeakMap<StoredToxic, ActiveToxic>();
  #effective: readonly StoredToxic[] = [];
  #current: readonly ActiveToxic[] = [];
  readonly #listeners = new Set<() => void>();
  #isFollowed = false;
  #numbers = 0;
  /** Why the service takes no toxics, once it was made. */
  refusal: string | undefined;

  constructor(place: ToxicPlace, surroundings: ToxicSurroundings) {
    this.place = place;
    this.#surroundings = surroundings;
  }

  get current(): readonly ActiveToxic[] {
    return this.#current;
  }

  /** Whether a service applies them. */
  get isFollowed(): boolean {
    return this.#isFollowed;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  follow(listener: () => void): () => void {
    this.#isFollowed = true;
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  random(toxic: ActiveToxic, number: number): Random {
    return randomFor(this.#surroundings.seed, this.place.kind, 'toxic', toxic.name, number);
  }

  list(): readonly StoredToxic[] {
    return Array.from(this.#entries.values(), ({ toxic }) => toxic);
  }

  effective(): readonly StoredToxic[] {
    return this.#effective;
  }

  get(name: string): StoredToxic {
    return this.#entryOf(name).toxic;
  }

  add(given: unknown): StoredToxic {
    this.#checkFollowed();
    const toxic = this.#check(given);
    if (this.#entries.has(toxic.name))
      throw new BacklotError(
        'conflict',
        `${this.place.kind} has a toxic "${toxic.name}" already; replace it with PUT, or name this one`,
      );
    if (this.#entries.size >= MAX_TOXICS)
      throw invalid(`${this.place.kind} has ${MAX_TOXICS} toxics already; delete one first`);
    return this.#put(toxic);
  }

  replace(name: string, given: unknown): StoredToxic {
    this.#entryOf(name);
    const toxic = this.#check(given);
    const { name: own } = given as { readonly name?: string };
    if (own !== undefined && own !== name)
      throw invalid(`the toxic is "${name}", and its body names it "${own}"; leave the name out`, [
        { path: '/name', message: `must be "${name}" or absent` },
      ]);
    return this.#put(Object.freeze({ ...toxic, name }));
  }

  remove(name: string): void {
    this.#entryOf(name).waiting?.cancel();
    this.#entries.delete(name);
    this.refresh();
  }

  clear(): void {
    this.#forgetAll();
    this.refresh();
  }

  /** Sets those of a configuration. @param base - the JSON pointer of the list */
  load(given: readonly unknown[], base: string): Problem[] {
    const problems: Problem[] = [];
    given.forEach((each, index) => {
      const at = pointTo(base, index);
      const checked = checkToxic(each, this.place, at);
      if (checked.problems !== undefined) problems.push(...checked.problems);
      else if (this.#entries.has(checked.toxic.name))
        problems.push({
          path: `${at}/name`,
          message: `"${checked.toxic.name}" is the name of an earlier toxic`,
        });
      else this.#put(checked.toxic);
    });
    return problems;
  }

  /** Works out anew what acts. */
  refresh(): void {
    const byName = new Map(this.list().map((toxic) => [toxic.name, toxic]));
    for (const toxic of this.#surroundings.overlays(this.place.kind)) {
      // One that replaces another stands last, as it was set last.
      byName.delete(toxic.name);
      byName.set(toxic.name, toxic);
    }
    const effective = [...byName.values()];
    if (isSame(effective, this.#effective)) return;
    this.#effective = effective;
    this.#current = effective.map((toxic) => this.#activate(toxic));
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (thrown) {
        this.#surroundings.onThrown(this.place.kind, thrown);
      }
    }
  }

  save(): SavedToxics {
    return Array.from(this.#entries.values(), ({ toxic, expiresAt }) => [toxic, expiresAt] as const);
  }

  /** Puts a snapshot back; with `createdAt` as if all had been set at that time. The scenarios have been put back before. */
  restore(saved: SavedToxics, createdAt: number | undefined): void {
    this.#forgetAll();
    for (const [toxic, expiresAt] of saved)
      this.#keep(toxic, createdAt === undefined ? expiresAt : undefined);
    this.refresh();
  }

  #check(given: unknown): StoredToxic {
    const { toxic, problems } = checkToxic(given, this.place);
    if (problems === undefined) return toxic;
    const [first] = problems;
    throw invalid(`${this.place.kind} toxic${first?.path ?? ''}: ${first?.message ?? ''}`, problems);
  }

  #checkFollowed(): void {
    if (this.refusal !== undefined) throw new BacklotError('conflict', this.refusal);
  }

  #put(toxic: StoredToxic): StoredToxic {
    this.#entries.get(toxic.name)?.waiting?.cancel();
    const stored = this.#keep(toxic, undefined);
    this.refresh();
    return stored;
  }

  /** @param expiresAt - when it ends, of one that was set before */
  #keep(toxic: StoredToxic, expiresAt: number | undefined): StoredToxic {
    const { clock } = this.#surroundings;
    const { name, ttl } = toxic;
    if (ttl === undefined) {
      this.#entries.set(name, { toxic, expiresAt: undefined, waiting: undefined });
      return toxic;
    }
    const now = clock.now();
    const end = expiresAt ?? now + parseDuration(ttl);
    if (end <= now) return toxic;
    const stored = Object.freeze({ ...toxic, expires_at: new Date(end).toISOString() });
    const waiting = clock.after(end - now, () => {
      if (this.#entries.get(name)?.toxic === stored) this.remove(name);
    });
    this.#entries.set(name, { toxic: stored, expiresAt: end, waiting });
    return stored;
  }

  #forgetAll(): void {
    for (const { waiting } of this.#entries.values()) waiting?.cancel();
    this.#entries.clear();
  }

  #entryOf(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const names = [...this.#entries.keys()];
    const there = names.length === 0 ? 'it has none' : `there are ${names.join(', ')}`;
    throw new BacklotError('not_found', `${this.place.kind} has no toxic "${name}"; ${there}`);
  }

  #activate(toxic: StoredToxic): ActiveToxic {
    let active = this.#activated.get(toxic);
    if (active === undefined) this.#activated.set(toxic, (active = activateToxic(toxic)));
    return active;
  }
}

function isSame<T>(list: readonly T[], other: readonly T[]): boolean {
  return list.length === other.length && list.every((each, index) => each === other[index]);
}
