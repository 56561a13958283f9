import { LATER, type CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import { isBucket, ranksBefore, type Candidates, type MockIndex } from '../contract/mock-index.js';
import type { NearMiss } from '../contract/outcome.js';
import type { Protocol } from '../contract/protocol.js';
import type { StateStore } from '../stores/state-store.js';
import type { Clock } from '../time/clock.js';
import { runAtOnce } from '../time/slices.js';
import type { EffectiveMock } from './live-mock.js';
import { sortByCloseness } from './closeness.js';
import { KeyIndex } from './key-index.js';

const MAX_EXAMINED = 64;
const MAX_NEAR_MISSES = 3;

/** What looking for the first match found. */
export type Selection =
  | EffectiveMock
  | { readonly challenged: EffectiveMock; readonly challenge: unknown }
  | typeof LATER
  | undefined;

/** Why the data that mocks share does not let a mock match a message; `undefined` when it does. */
export type Refusal = (mock: EffectiveMock, message: Message) => string | undefined;

/** The mocks of one kind in effect: what the hot path reads. */
export class MockTable {
  readonly index: MockIndex<Message, CompiledMock<Message>>;
  readonly #all = new Set<EffectiveMock>();
  /** How many conditions there are on each state key. */
  readonly #conditions = new Map<string, number>();
  readonly #state: StateStore;
  readonly #clock: Clock;
  readonly #refusal: Refusal;
  #sorted: readonly EffectiveMock[] | undefined;
  #found: Candidates<CompiledMock<Message>>[] = [];
  #places = new Int32Array(16);

  /** @param refusal - asked about mocks with {@link EffectiveMock.data} that match otherwise */
  constructor(protocol: Protocol, state: StateStore, clock: Clock, refusal: Refusal = () => undefined) {
    const { mocks } = protocol;
    this.index =
      mocks.index?.() ??
      new KeyIndex(mocks.keys === undefined ? undefined : (message) => mocks.keys?.(message) ?? []);
    this.#state = state;
    this.#clock = clock;
    this.#refusal = refusal;
  }

  add(mock: EffectiveMock): void {
    this.#all.add(mock);
    this.#countConditions(mock, 1);
    this.index.add(mock);
    this.#sorted = undefined;
  }

  /** Whether this very mock is there, hidden or not. */
  has(mock: EffectiveMock): boolean {
    return this.#all.has(mock);
  }

  remove(mock: EffectiveMock): void {
    if (!this.#all.delete(mock)) return;
    this.#countConditions(mock, -1);
    this.index.remove(mock);
    this.#sorted = undefined;
  }

  /** Takes many away, one at each step; they are hidden. */
  *removeSteps(mocks: readonly EffectiveMock[]): Generator<undefined, void> {
    for (const mock of mocks) {
      this.remove(mock);
      yield;
    }
  }

  /** Mocks that were hidden are shown. */
  changed(): void {
    this.#sorted = undefined;
  }

  /** The first match in rank order. */
  select(message: Message, isFinal: boolean): Selection {
    return this.#firstOf(this.#lookUp(message), message, isFinal);
  }

  /** Like {@link select} with all of the message there, one mock at each step; those that go meanwhile are passed over. */
  *selectSteps(message: Message): Generator<undefined, Selection> {
    let first: Selection;
    for (const mock of this.#candidates(message)) {
      const found = this.#firstOf(this.#alone(mock), message, true);
      if (typeof found === 'object' && !('challenged' in found)) return found;
      first ??= found;
      yield;
    }
    return first;
  }

  #firstOf(
    found: readonly Candidates<CompiledMock<Message>>[],
    message: Message,
    isFinal: boolean,
  ): Selection {
    let challenged: { challenged: EffectiveMock; challenge: unknown } | undefined;
    for (let mock = this.#next(found); mock !== undefined; mock = this.#next(found)) {
      if (!mock.isPlain && mock.absence(this.#state, this.#clock) !== undefined) continue;
      const result = mock.compiled.test === undefined ? true : mock.compiled.test(message, true);
      if (result === true) {
        if (mock.isPlain || mock.data === undefined || this.#refusal(mock, message) === undefined)
          return mock;
        continue;
      }
      if (result === LATER) {
        if (!isFinal) return LATER;
      } else if (typeof result === 'object') {
        challenged ??= { challenged: mock, challenge: result.challenge };
      }
    }
    return challenged;
  }

  /** Every match, in rank order. */
  selectAll(message: Message): EffectiveMock[] {
    return this.#allOf(this.#lookUp(message), message);
  }

  /** Like {@link selectAll}, one mock at each step; those that go meanwhile are passed over. */
  *selectAllSteps(message: Message): Generator<undefined, EffectiveMock[]> {
    const matches: EffectiveMock[] = [];
    for (const mock of this.#candidates(message)) {
      matches.push(...this.#allOf(this.#alone(mock), message));
      yield;
    }
    return matches;
  }

  #allOf(found: readonly Candidates<CompiledMock<Message>>[], message: Message): EffectiveMock[] {
    const matches: EffectiveMock[] = [];
    for (let mock = this.#next(found); mock !== undefined; mock = this.#next(found)) {
      if (!mock.isPlain && mock.absence(this.#state, this.#clock) !== undefined) continue;
      if (mock.compiled.test !== undefined && mock.compiled.test(message, true) !== true) continue;
      if (mock.isPlain || mock.data === undefined || this.#refusal(mock, message) === undefined)
        matches.push(mock);
    }
    return matches;
  }

  /** The mocks that are there now, in rank order. */
  values(): readonly EffectiveMock[] {
    this.#sorted ??= [...this.#all].sort((a, b) => (ranksBefore(a, b) ? -1 : 1));
    const sorted = this.#sorted;
    return sorted.some((mock) => mock.isConditional)
      ? sorted.filter((mock) => mock.absence(this.#state, this.#clock) === undefined)
      : sorted;
  }

  /** Whether some mock in the table has a condition on this state key, or on any when none is named. */
  dependsOnState(key: string | undefined): boolean {
    return key === undefined ? this.#conditions.size > 0 : this.#conditions.has(key);
  }

  #countConditions(mock: EffectiveMock, by: number): void {
    for (const { key } of mock.conditions ?? []) {
      const count = (this.#conditions.get(key) ?? 0) + by;
      if (count === 0) this.#conditions.delete(key);
      else this.#conditions.set(key, count);
    }
  }

  /** Why mocks do not match, the closest first; of very many mocks the first ones are looked at. */
  nearMisses(message: Message): NearMiss[] {
    return runAtOnce(this.nearMissSteps(message, MAX_NEAR_MISSES));
  }

  /** Like {@link nearMisses}, at most so many, and one mock at each step. */
  *nearMissSteps(message: Message, most: number): Generator<undefined, NearMiss[]> {
    const near: NearMiss[] = [];
    const others: NearMiss[] = [];
    const examine = (mock: EffectiveMock, into: NearMiss[]): void => {
      const reason = this.#whyNot(mock, message);
      if (reason !== undefined) into.push({ mock_id: mock.id, reason });
    };
    let left = Math.max(most, MAX_EXAMINED);
    const found = new Set(this.#candidates(message, left));
    left -= found.size;
    for (const mock of found) {
      examine(mock, near);
      yield;
    }
    for (const mock of this.#all) {
      if (left === 0) break;
      if (mock.isHidden || found.has(mock)) continue;
      left -= 1;
      examine(mock, others);
      yield;
    }
    return sortByCloseness(near, others).slice(0, most);
  }

  #whyNot(mock: EffectiveMock, message: Message): string | undefined {
    const result = mock.compiled.test === undefined ? true : mock.compiled.test(message);
    if (typeof result === 'string') return result;
    if (typeof result === 'function') return result();
    if (result === LATER) return 'a field that it asks for never came';
    if (typeof result === 'object') return 'authentication is missing or wrong';
    const absence = mock.absence(this.#state, this.#clock);
    return absence ?? (mock.data === undefined ? undefined : this.#refusal(mock, message));
  }

  #lookUp(message: Message): Candidates<CompiledMock<Message>>[] {
    const found = this.#found;
    // Popping the few of the last look-up is cheaper than setting the length.
    while (found.length > 0) found.pop();
    this.index.find(message, found);
    if (found.length > this.#places.length) this.#places = new Int32Array(2 * found.length);
    const places = this.#places;
    for (let i = 0; i < found.length; i += 1) places[i] = 0;
    return found;
  }

  /** The first candidates of a message that are not hidden, in rank order. */
  #candidates(message: Message, most = Infinity): EffectiveMock[] {
    const found = this.#lookUp(message);
    const list: EffectiveMock[] = [];
    for (let mock = this.#next(found); mock !== undefined && list.length < most; mock = this.#next(found))
      if (!mock.isHidden) list.push(mock);
    return list;
  }

  /** One mock as if it were all that a look-up found; nothing when it has been removed. */
  #alone(mock: EffectiveMock): Candidates<CompiledMock<Message>>[] {
    this.#places[0] = 0;
    return this.#all.has(mock) ? [mock] : [];
  }

  /** Merges what the last look-up found, in rank order. */
  #next(found: readonly Candidates<CompiledMock<Message>>[]): EffectiveMock | undefined {
    const places = this.#places;
    if (found.length === 1) {
      const place = places[0] ?? 0;
      places[0] = place + 1;
      return mockAt(found[0], place);
    }
    let best: EffectiveMock | undefined;
    let bestOf = -1;
    for (let i = 0; i < found.length; i += 1) {
      const mock = mockAt(found[i], places[i] ?? 0);
      if (mock !== undefined && (best === undefined || ranksBefore(mock, best))) {
        best = mock;
        bestOf = i;
      }
    }
    if (bestOf >= 0) places[bestOf] = (places[bestOf] ?? 0) + 1;
    return best;
  }
}

function mockAt(
  candidates: Candidates<CompiledMock<Message>> | undefined,
  place: number,
): EffectiveMock | undefined {
  if (candidates === undefined) return undefined;
  const mock = isBucket(candidates) ? candidates[place] : place === 0 ? candidates : undefined;
  return mock as EffectiveMock | undefined;
}
