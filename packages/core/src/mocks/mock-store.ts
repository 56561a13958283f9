import type { StoredMock } from '../contract/given.js';
import type { MockCollection } from '../contract/kind.js';
import type { ScenarioPatch } from '../contract/scenario.js';
import type { Log } from '../contract/log.js';
import type { LiveMock } from '../contract/outcome.js';
import type { MockChange } from '../contract/context.js';
import type { Protocol } from '../contract/protocol.js';
import { BacklotError, isBacklotError, type Problem } from '../errors.js';
import type { Journal } from '../journal/journal.js';
import type { Clock } from '../time/clock.js';
import { Listeners } from '../stores/listeners.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { nextTurn } from '../time/turns.js';
import { checkIdIsNew } from '../validation/check-id.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { MAX_PROBLEMS, onlyTheFirst } from '../validation/problem-list.js';
import { createValidator, type Validator } from '../validation/validator.js';
import { Effects, type ActivePatches } from './effects.js';
import { MockWarnings } from './mock-warnings.js';
import { MockSwitches } from './mock-switches.js';
import { MockCompiler } from './mock-compiler.js';
import type { NextMocks } from './next-mocks.js';
import { MockIntake } from './mock-intake.js';
import type { MockTable } from './mock-table.js';
import { MockPlaces } from './mock-places.js';
import { MockRestores } from './mock-restores.js';
import { replaceSteps, slotOf, type GivenMocks, type MockReplacement } from './mock-replacement.js';
import { placeTrial, type Trial } from './mock-trial.js';
import { createTogether, type NewMockStore, type PlacedMock, type PreparedMock } from './new-mocks.js';
import { Veil } from './veil.js';
import { SlotMap, type SavedMocks, type Slot } from './slot-map.js';
import type { MockCounter, Counters } from './counters.js';
import type { HostParts } from './compile-tools.js';
import { CounterBook } from './counter-book.js';

/** The id of a mock that is only checked. */
const CHECKED_ID = '(checked)';

/** What the store uses of its host. */
interface StoreServices extends HostParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error' | 'warn'>;
  /** Whether valid mocks are kept for another host that is made of the same settings. */
  readonly remembers: boolean;
}

/** What mocks that are given anew make of those that are there, made ready. */
export interface PreparedGiven {
  readonly replacement: MockReplacement;
  /** Whether all stays as it is. */
  readonly isSame: boolean;
  /** Absent where there is little to do. */
  readonly next: NextMocks | undefined;
  /** The number of changes at the time. */
  readonly changes: number;
}

/** The mocks of one kind: ordered, checked when they arrive, and kept in effect in the table. */
export class MockStore implements MockCollection {
  /** Whether what is found valid is kept for another host that is made of the same. */
  readonly remembers: boolean;
  readonly #protocol: Protocol;
  readonly #table: MockTable;
  readonly #clock: Clock;
  readonly #compiler: MockCompiler;
  readonly #patchValidator: Validator | undefined;
  readonly #intake: MockIntake;
  readonly #newMocks: NewMockStore;
  readonly #places: MockPlaces;
  readonly #restores: MockRestores;
  readonly #counters: CounterBook;
  readonly #effects: Effects;
  readonly #listeners: Listeners<[MockChange]>;
  readonly #slots = new SlotMap((id) => this.counterOf(id));
  readonly #warnings: MockWarnings;

  constructor(protocol: Protocol, table: MockTable, services: StoreServices) {
    const { journal, clock, log, remembers, sharedCounts } = services;
    this.remembers = remembers;
    this.#protocol = protocol;
    this.#table = table;
    this.#counters = new CounterBook(protocol.kind, journal, () => sharedCounts?.revision ?? 0);
    this.#clock = clock;
    this.#compiler = new MockCompiler(
      protocol,
      table.index,
      (id) => this.counterOf(id),
      (id, warning) => this.#warnings.add(id, warning),
      services,
    );
    // Settings are checked before they are used, and then again by the host that is made of them.
    this.#warnings = new MockWarnings(this.#compiler.noun, remembers ? undefined : log);
    this.#effects = new Effects(protocol.kind, table, this.#compiler, this.#slots, (id) =>
      this.counterOf(id),
    );
    this.#listeners = new Listeners((thrown) =>
      log.error('what is told of changed mocks has thrown', thrown),
    );
    this.#intake = new MockIntake(this.#compiler, (id) => this.#slots.isTaken(id), remembers);
    this.#places = new MockPlaces(this.#compiler.noun, {
      slots: this.#slots,
      effects: this.#effects,
      table,
      clock,
    });
    this.#newMocks = {
      noun: this.#compiler.noun,
      prepare: (mock, base, taken) => this.#intake.prepare(mock, base, taken),
      refuse: (problems) => this.#compiler.refuse(problems),
      place: (mock, veil) => this.#places.place(mock, veil),
      commit: (placed, veil) => this.#places.commit(placed, veil),
      withdrawSteps: (placed) => this.#places.withdrawSteps(placed),
    };
    this.#restores = new MockRestores({
      slots: this.#slots,
      effects: this.#effects,
      places: this.#places,
      counters: this.#counters,
    });
    this.#patchValidator = protocol.mocks.patch && createValidator(protocol.mocks.patch.schema);
  }

  /** What mocks say and hardly mean, with their places as they were given: the first hundred. */
  get warnings(): readonly Problem[] {
    return this.#warnings.list;
  }

  /** The counts of all of them. */
  get counts(): Counters {
    return this.#counters.counts;
  }

  /** Sets where the patches of active scenarios are found. */
  set patches(patches: ActivePatches) {
    this.#effects.patches = patches;
  }

  get kind(): string {
    return this.#protocol.kind;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** A number that is another one after mocks were made. */
  get made(): number {
    return this.#places.nextPosition;
  }

  list(): readonly StoredMock[] {
    return Array.from(this.#slots.values(), (slot) => slot.value);
  }

  listUnused(): readonly StoredMock[] {
    return this.list().filter((mock) => (this.#counters.find(mock.id)?.calls ?? 0) === 0);
  }

  get(id: string): StoredMock {
    return this.#slotOf(id).value;
  }

  has(id: string): boolean {
    return this.#slots.get(id) !== undefined;
  }

  warningsOf(id: string): readonly Problem[] {
    return this.#compiler.warningsOf(this.#slotOf(id).value);
  }

  prepare(): boolean {
    return this.#compiler.prepare();
  }

  create(mock: unknown): StoredMock {
    return this.#createOne(this.#intake.prepare(mock, '', new Set()));
  }

  createAll(mocks: readonly unknown[]): readonly StoredMock[] {
    const placed = runAtOnce(createTogether(mocks, this.#newMocks));
    runAtOnce(this.#tellSteps(placed));
    return runAtOnce(this.#places.settleSteps(placed));
  }

  async createInSlices(mocks: readonly unknown[], signal?: AbortSignal): Promise<readonly StoredMock[]> {
    while (this.prepare()) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const placed = await runInSlices(createTogether(mocks, this.#newMocks), signal);
    if (this.hasListeners) await runInSlices(this.#tellSteps(placed));
    return runInSlices(this.#places.settleSteps(placed));
  }

  check(mock: unknown): readonly Problem[] {
    const id = isObject(mock) ? mock['id'] : undefined;
    const value = this.#intake.withId(mock, typeof id === 'string' && id !== '' ? id : CHECKED_ID);
    return this.#compiler.examine(value).warnings;
  }

  replace(id: string, mock: unknown): StoredMock {
    const place = { ...this.#slotOf(id).place, createdAt: this.#clock.now() };
    const value = this.#intake.withId(mock, id);
    return this.#change(id, { place, base: value, value, ready: this.#compiler.compile(value).at(place) });
  }

  patch(id: string, patch: unknown): StoredMock {
    const slot = this.#slotOf(id);
    const declaration = this.#protocol.mocks.patch;
    if (declaration === undefined || this.#patchValidator === undefined) {
      throw new BacklotError(
        'method_not_allowed',
        `${this.#protocol.kind} mocks cannot be patched; replace them with PUT`,
      );
    }
    this.#compiler.refuse(this.#patchValidator.check(patch));
    const value = this.#intake.withId(
      declaration.apply(slot.base, patch as Readonly<Record<string, unknown>>),
      id,
    );
    return this.#change(id, { ...slot, value, ready: this.#compiler.compile(value).at(slot.place) });
  }

  /** Puts a mock into the table that is only tried, see {@link placeTrial}. */
  placeTrial(mock: unknown, replaces: string | undefined): Trial {
    const parts = {
      compiler: this.#compiler,
      intake: this.#intake,
      slots: this.#slots,
      effects: this.#effects,
      table: this.#table,
      clock: this.#clock,
      nextPosition: () => this.#places.nextPosition,
    };
    return placeTrial(parts, mock, replaces);
  }

  remove(id: string): void {
    this.#slotOf(id);
    this.#slots.delete(id);
    this.#effects.takeOut(id);
    this.#listeners.tell({ type: 'removed', id });
  }

  /**
   * Loads the mocks of a configuration, one in each step.
   *
   * @returns problems; the mocks without problems are there, unless there were a hundred problems before them
   */
  *loadSteps(
    mocks: readonly unknown[],
    base: string,
    ids = new Set<unknown>(),
  ): Generator<undefined, readonly Problem[]> {
    const problems: Problem[] = [];
    for (const [index, mock] of mocks.entries()) {
      const at = pointTo(base, index);
      problems.push(...checkIdIsNew(mock, ids, this.#compiler.noun, at));
      try {
        this.#createOne(this.#intake.prepare(mock, at, new Set()));
      } catch (thrown) {
        if (!isBacklotError(thrown)) throw thrown;
        if (thrown.code !== 'conflict')
          problems.push(...(thrown.details ?? [{ path: at, message: thrown.message }]));
      }
      if (problems.length >= MAX_PROBLEMS && index + 1 < mocks.length) {
        problems.push({ path: base, message: onlyTheFirst(index + 1, mocks.length, problems.length) });
        break;
      }
      yield;
    }
    return problems;
  }

  /**
   * Takes the mocks that another store of the same kind had in a snapshot, in slices and all at once in the end. What they were
   * compiled to is shared, unless it belongs to the other host alone.
   */
  async inherit({ slots }: SavedMocks): Promise<void> {
    if (slots.length === 0) return;
    const placed = await runInSlices(
      createTogether(slots, { ...this.#newMocks, prepare: (slot) => this.#inherited(slot as Slot) }),
    );
    await runInSlices(this.#places.settleSteps(placed));
  }

  /** The patches that active scenarios have for a mock, in order of activation. */
  patchesFor(id: string): readonly ScenarioPatch[] {
    return this.#effects.patchesOf(id);
  }

  /** Problems that scenario patches would make with the mock as it is stored; none when there is no such mock. */
  checkPatches(id: string, patches: readonly ScenarioPatch[]): readonly Problem[] {
    const slot = this.#slots.get(id);
    if (slot === undefined) return [];
    const patched = this.#compiler.patch(slot.value, patches);
    return patched !== undefined && 'problems' in patched ? patched.problems : [];
  }

  /** Compiles one mock anew, after a change of the scenarios that patch it. */
  refresh(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#effects.refresh(slot);
    this.#listeners.tell({ type: 'changed', id });
  }

  /** Puts many mocks into effect with other patches, all at once. */
  get switches(): MockSwitches {
    return new MockSwitches(this.#slots, this.#effects, this.#listeners);
  }

  /** The counter of a mock id; made when there is none. */
  counterOf(id: string): MockCounter {
    return this.#counters.of(id);
  }

  /** The counter of a mock id, when it has one. */
  findCounter(id: string): MockCounter | undefined {
    return this.#counters.find(id);
  }

  /** Notes the number that a match has, on all hosts together, in a count that began at a revision. */
  noteShared(id: string, since: number, number: number): void {
    this.#effects.find(id)?.shared?.note(number, since);
  }

  clearCalls(): void {
    this.#restores.clearCalls();
  }

  /** The mocks in effect now, in rank order. */
  values(): readonly LiveMock[] {
    return this.#table.values();
  }

  onChange(listener: (change: MockChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Whether somebody is told of changes. */
  get hasListeners(): boolean {
    return !this.#listeners.isEmpty;
  }

  /** Tells listeners that conditions may hold or not hold now that did not or did. */
  conditionsChanged(): void {
    if (this.hasListeners) this.#listeners.tell({ type: 'changed' });
  }

  save(): SavedMocks {
    return this.#restores.save();
  }

  /** Whether putting a snapshot back is so little that {@link prepareRestore} has nothing to do. */
  isQuick(saved: SavedMocks): boolean {
    return this.#effects.isQuick(saved);
  }

  /** Makes what can be made of a snapshot before it is put back, in slices; undefined when that is little. */
  async prepareRestore(saved: SavedMocks): Promise<NextMocks | undefined> {
    return runInSlices(this.#effects.prepare(saved));
  }

  /** Forgets what was prepared, since it is not put back. */
  withdraw(next: NextMocks): void {
    this.#effects.withdraw(next);
  }

  /**
   * Puts a snapshot back; with `createdAt` as if its mocks were made at that time, for those that expire.
   *
   * @param next - what was prepared of it
   */
  restore(saved: SavedMocks, createdAt?: number, next?: NextMocks): void {
    this.#restores.restore(saved, createdAt, next);
    this.#listeners.tell({ type: 'reset' });
  }

  /**
   * Makes ready, in steps, what takes the mocks that are given now in place of those that were given before: nothing is seen of it
   * before {@link takeGiven}.
   */
  *prepareGiven(given: GivenMocks): Generator<undefined, PreparedGiven> {
    const { changes } = this.#slots;
    const move = (slot: Slot, position: number): Slot => {
      if (slot.place.position === position) return slot;
      const place = { ...slot.place, position };
      return { ...slot, place, ready: slot.ready.copy(place, this.counterOf(slot.value.id)) };
    };
    const replacement = yield* replaceSteps(
      given,
      this.#slots.values(),
      this.#clock.now(),
      (slot, place) => slotOf(this.#inherited(slot), place),
      move,
    );
    const { live, added, changed, removed, isMoved } = replacement;
    const isSame = added.length + changed.length + removed.length === 0 && !isMoved;
    const saved = { slots: live, calls: [], nextPosition: live.length };
    const next = isSame ? undefined : yield* this.#effects.prepare(saved);
    return { replacement, isSame, next, changes };
  }

  /** Whether nothing was changed since it was made ready. */
  isCurrent({ changes, next }: PreparedGiven): boolean {
    return this.#slots.changes === changes && next?.isStale !== true;
  }

  /**
   * Takes what was made ready by {@link prepareGiven} and is current, all at once.
   *
   * @param isPatchedAnew - whether active scenarios have other patches than before
   */
  takeGiven({ replacement, isSame, next }: PreparedGiven, isPatchedAnew: boolean): void {
    if (isSame && !isPatchedAnew) return;
    const { live, added, changed, removed, isMoved } = replacement;
    const calls = this.#counters.save();
    this.#restores.restore({ slots: live, calls, nextPosition: live.length }, undefined, next);
    if (!this.hasListeners) return;
    for (const id of removed) this.#listeners.tell({ type: 'removed', id });
    for (const id of added) this.#listeners.tell({ type: 'added', id });
    for (const id of changed) this.#listeners.tell({ type: 'changed', id });
    if (isMoved || isPatchedAnew) this.conditionsChanged();
  }

  #inherited({ value, ready }: Slot): PreparedMock {
    if (ready.usesHost) return { value, ready: this.#compiler.compile(value) };
    return { value, ready: { at: (place) => ready.copy(place, this.counterOf(value.id)) } };
  }

  #createOne(mock: PreparedMock): StoredMock {
    const veil = new Veil();
    const placed = this.#places.place(mock, veil);
    this.#places.commit([placed], veil);
    placed.mock.settle();
    const { value } = placed.slot;
    this.#listeners.tell({ type: 'added', id: value.id });
    return value;
  }

  *#tellSteps(placed: readonly PlacedMock[]): Generator<undefined, void> {
    for (const { mock } of placed) {
      this.#listeners.tell({ type: 'added', id: mock.id });
      yield;
    }
  }

  /**
   * Puts a changed mock in its place.
   *
   * @throws BacklotError `invalid` when it does not fit an active scenario's patch
   */
  #change(id: string, slot: Slot): StoredMock {
    const { value, place } = slot;
    const patched = this.#compiler.patch(value, this.patchesFor(id));
    if (patched !== undefined && 'problems' in patched) this.#compiler.refuse(patched.problems);
    const ready = patched !== undefined && 'ready' in patched ? patched.ready : slot.ready;
    this.#slots.set(slot);
    this.#effects.put(slot, ready?.at(place));
    this.#listeners.tell({ type: 'changed', id });
    return value;
  }

  #slotOf(id: string): Slot {
    const slot = this.#slots.get(id);
    if (slot === undefined) throw new BacklotError('not_found', `no ${this.#compiler.noun} "${id}"`);
    return slot;
  }
}
