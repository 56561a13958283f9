import type { StoredMock } from '../contract/given.js';
import type { MockCollection } from '../contract/kind.js';
import type { ScenarioPatch } from '../contract/scenario.js';
import type { LiveMock } from '../contract/outcome.js';
import type { MockChange } from '../contract/context.js';
import type { Protocol } from '../contract/protocol.js';
import { BacklotError, isBacklotError, type Problem } from '../errors.js';
import type { Journal } from '../journal/journal.js';
import type { Clock } from '../time/clock.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { checkIdIsNew } from '../validation/check-id.js';
import { pointTo } from '../validation/pointer.js';
import { createValidator, type Validator } from '../validation/validator.js';
import type { EffectiveMock } from './live-mock.js';
import { MockCompiler } from './mock-compiler.js';
import { MockIntake } from './mock-intake.js';
import type { MockTable } from './mock-table.js';
import {
  alreadyThere,
  createTogether,
  type NewMockStore,
  type PlacedMock,
  type PreparedMock,
} from './new-mocks.js';
import { anew, SlotMap, type SavedMocks, type Slot } from './slot-map.js';
import type { MockCounter, Counters } from './counters.js';
import { CounterBook } from './counter-book.js';

/** What the store uses of its host. */
interface StoreServices {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Whether valid mocks are kept for another host that is made of the same settings. */
  readonly remembers: boolean;
}

/** The mocks of one kind: ordered, checked when they arrive, and kept in effect in the table. */
export class MockStore implements MockCollection {
  readonly #protocol: Protocol;
  readonly #table: MockTable;
  readonly #clock: Clock;
  readonly #compiler: MockCompiler;
  readonly #patchValidator: Validator | undefined;
  readonly #intake: MockIntake;
  readonly #newMocks: NewMockStore;
  readonly #counters: CounterBook;
  readonly #effective = new Map<string, EffectiveMock>();
  readonly #listeners = new Set<(change: MockChange) => void>();
  readonly #slots = new SlotMap();
  #nextPosition = 0;
  /** The patches that active scenarios have for a mock, in order of activation; set by the scenarios. */
  patchesFor: (kind: string, id: string) => readonly ScenarioPatch[] = () => [];

  constructor(protocol: Protocol, table: MockTable, services: StoreServices) {
    const { journal, clock, remembers } = services;
    this.#protocol = protocol;
    this.#table = table;
    this.#counters = new CounterBook(protocol.kind, journal);
    this.#clock = clock;
    this.#compiler = new MockCompiler(protocol, table.index, (id) => this.counterOf(id));
    this.#intake = new MockIntake(this.#compiler, (id) => this.#slots.isTaken(id), remembers);
    this.#newMocks = {
      noun: this.#compiler.noun,
      prepare: (mock, base, taken) => this.#intake.prepare(mock, base, taken),
      refuse: (problems) => this.#compiler.refuse(problems),
      place: (mock) => this.#place(mock),
      commit: (placed) => this.#commit(placed),
      withdraw: (placed) => void runInSlices(this.#withdrawSteps(placed)),
    };
    this.#patchValidator = protocol.mocks.patch && createValidator(protocol.mocks.patch.schema);
  }

  /** The counts of all of them. */
  get counts(): Counters {
    return this.#counters.counts;
  }

  get kind(): string {
    return this.#protocol.kind;
  }

  get size(): number {
    return this.#slots.size;
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

  create(mock: unknown): StoredMock {
    return this.#createOne(this.#intake.prepare(mock, '', new Set()));
  }

  createAll(mocks: readonly unknown[]): readonly StoredMock[] {
    const placed = runAtOnce(createTogether(mocks, this.#newMocks));
    runAtOnce(this.#tellSteps(placed));
    return placed.map(({ slot }) => slot.value);
  }

  async createInSlices(mocks: readonly unknown[], signal?: AbortSignal): Promise<readonly StoredMock[]> {
    const placed = await runInSlices(createTogether(mocks, this.#newMocks), signal);
    if (this.#listeners.size > 0) await runInSlices(this.#tellSteps(placed));
    return placed.map(({ slot }) => slot.value);
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

  remove(id: string): void {
    this.#slotOf(id);
    this.#slots.delete(id);
    this.#takeOutOfEffect(id);
    this.#tell({ type: 'removed', id });
  }

  /**
   * Loads the mocks of a configuration.
   *
   * @returns problems; the mocks without problems are there
   */
  load(mocks: readonly unknown[], base: string, ids = new Set<unknown>()): Problem[] {
    const problems: Problem[] = [];
    mocks.forEach((mock, index) => {
      const at = pointTo(base, index);
      problems.push(...checkIdIsNew(mock, ids, this.#compiler.noun, at));
      try {
        this.#createOne(this.#intake.prepare(mock, at, new Set()));
      } catch (thrown) {
        if (!isBacklotError(thrown)) throw thrown;
        if (thrown.code === 'conflict') return;
        problems.push(...(thrown.details ?? [{ path: at, message: thrown.message }]));
      }
    });
    return problems;
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
    this.#put(slot, this.#effectOf(slot));
    this.#tell({ type: 'changed', id });
  }

  /** The counter of a mock id; made when there is none. */
  counterOf(id: string): MockCounter {
    return this.#counters.of(id);
  }

  /** The counter of a mock id, when it has one. */
  findCounter(id: string): MockCounter | undefined {
    return this.#counters.find(id);
  }

  clearCalls(): void {
    this.#counters.clear((id) => this.#slots.isTaken(id));
  }

  /** The mocks in effect now, in rank order. */
  values(): readonly LiveMock[] {
    return this.#table.values();
  }

  onChange(listener: (change: MockChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether somebody is told of changes. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Tells listeners that conditions may hold or not hold now that did not or did. */
  conditionsChanged(): void {
    if (this.hasListeners) this.#tell({ type: 'changed' });
  }

  save(): SavedMocks {
    return {
      slots: [...this.#slots.values()],
      calls: this.#counters.save(),
      nextPosition: this.#nextPosition,
    };
  }

  /** Puts a snapshot back; with `createdAt` as if its mocks were made at that time, for those that expire. */
  restore(saved: SavedMocks, createdAt?: number): void {
    const slots = saved.slots.map((slot) => anew(slot, createdAt));
    this.#takeOutChanged(this.#slots.replace(slots));
    this.#nextPosition = Math.max(this.#nextPosition, saved.nextPosition);
    this.clearCalls();
    for (const [id, calls] of saved.calls) this.counterOf(id).calls = calls;
    for (const slot of slots) if (!this.#effective.has(slot.value.id)) this.#put(slot, this.#effectOf(slot));
    this.#tell({ type: 'reset' });
  }

  /**
   * Takes out of effect what is not as it was: mocks that have not changed stay, so that a reset costs what it changes.
   */
  #takeOutChanged(before: (id: string) => Slot | undefined): void {
    const gone: EffectiveMock[] = [];
    for (const [id, mock] of this.#effective) {
      if (mock.isHidden) {
        if (this.#slots.get(id) !== undefined) this.#takeOutOfEffect(id);
        continue;
      }
      const slot = this.#slots.get(id);
      if (slot === undefined) {
        this.#effective.delete(id);
        mock.hide();
        gone.push(mock);
      } else if (slot !== before(id) || mock !== slot.ready || this.patchesFor(this.kind, id).length > 0) {
        this.#takeOutOfEffect(id);
      }
    }
    void runInSlices(this.#table.removeSteps(gone));
  }

  #createOne(mock: PreparedMock): StoredMock {
    const placed = this.#place(mock);
    this.#commit([placed]);
    const { value } = placed.slot;
    this.#tell({ type: 'added', id: value.id });
    return value;
  }

  /** Gives a new mock its place, hidden. */
  #place({ value, ready }: PreparedMock): PlacedMock {
    if (this.#slots.isTaken(value.id)) throw alreadyThere(this.#compiler.noun, value.id);
    const place = { position: this.#nextPosition++, createdAt: this.#clock.now() };
    const mock = ready.at(place);
    const slot = { place, base: value, value, ready: mock };
    mock.hide();
    this.#slots.addHidden(slot);
    this.#effective.set(value.id, mock);
    this.#table.add(mock);
    return { slot, mock };
  }

  #commit(placed: readonly PlacedMock[]): void {
    // A reset may have brought another with the same id.
    const lost = placed.find(({ slot }) => !this.#slots.holds(slot));
    if (lost !== undefined) throw alreadyThere(this.#compiler.noun, lost.slot.value.id);
    for (const { slot, mock } of placed) {
      mock.counter.calls = 0;
      mock.show();
      if (this.patchesFor(this.kind, mock.id).length > 0) this.#put(slot, this.#effectOf(slot));
    }
    this.#slots.revealed(placed.length);
    this.#table.changed();
  }

  *#withdrawSteps(placed: readonly PlacedMock[]): Generator<undefined, void> {
    for (const { slot, mock } of placed) {
      this.#slots.dropHidden(slot);
      if (this.#effective.get(mock.id) === mock) this.#effective.delete(mock.id);
      this.#table.remove(mock);
      yield;
    }
  }

  *#tellSteps(placed: readonly PlacedMock[]): Generator<undefined, void> {
    for (const { mock } of placed) {
      this.#tell({ type: 'added', id: mock.id });
      yield;
    }
  }

  #effectOf({ value, ready, place }: Slot): EffectiveMock | undefined {
    const patched = this.#compiler.patchWithFitting(value, this.patchesFor(this.kind, value.id));
    return (patched === undefined ? ready : patched.ready)?.at(place);
  }

  /**
   * Puts a changed mock in its place.
   *
   * @throws BacklotError `invalid` when it does not fit an active scenario's patch
   */
  #change(id: string, slot: Slot): StoredMock {
    const { value, place } = slot;
    const patched = this.#compiler.patch(value, this.patchesFor(this.kind, id));
    if (patched !== undefined && 'problems' in patched) this.#compiler.refuse(patched.problems);
    const ready = patched !== undefined && 'ready' in patched ? patched.ready : slot.ready;
    this.#put(slot, ready?.at(place));
    this.#tell({ type: 'changed', id });
    return value;
  }

  #put(slot: Slot, mock: EffectiveMock | undefined): void {
    const { id } = slot.value;
    this.#slots.set(slot);
    this.#takeOutOfEffect(id);
    if (mock === undefined) return;
    this.#effective.set(id, mock);
    this.#table.add(mock);
  }

  #takeOutOfEffect(id: string): void {
    const mock = this.#effective.get(id);
    if (mock === undefined) return;
    this.#effective.delete(id);
    this.#table.remove(mock);
  }

  #slotOf(id: string): Slot {
    const slot = this.#slots.get(id);
    if (slot === undefined) throw new BacklotError('not_found', `no ${this.#compiler.noun} "${id}"`);
    return slot;
  }

  #tell(change: MockChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
