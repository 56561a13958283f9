import { randomBytes } from 'node:crypto';
import type { StoredMock } from '../contract/given.js';
import type { MockCollection } from '../contract/kind.js';
import type { ScenarioPatch } from '../contract/scenario.js';
import type { LiveMock } from '../contract/outcome.js';
import type { MockChange } from '../contract/context.js';
import type { Protocol } from '../contract/protocol.js';
import { BacklotError, invalid, isBacklotError, type Problem } from '../errors.js';
import type { Journal } from '../journal/journal.js';
import type { Clock } from '../time/clock.js';
import { checkIdIsNew } from '../validation/check-id.js';
import { frozenCopy } from '../validation/freeze.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import { createValidator, type Validator } from '../validation/validator.js';
import type { EffectiveMock, MockPlace } from './live-mock.js';
import { MockCompiler, type ReadyMock } from './mock-compiler.js';
import type { MockTable } from './mock-table.js';
import { Tallies, type MockTally } from './tallies.js';

/** One mock as it is stored: values never change, a change makes a new one. */
interface Slot {
  readonly place: MockPlace;
  /** As it was created or replaced. */
  readonly base: StoredMock;
  /** With the PATCH that is in force, else the same as `base`. */
  readonly value: StoredMock;
  /** The value compiled, so that a reset compiles nothing. */
  readonly ready: EffectiveMock;
}

/** A picture of a kind's mocks and their call counts. */
export interface SavedMocks {
  readonly slots: readonly (readonly [string, Slot])[];
  readonly calls: readonly (readonly [string, number])[];
  readonly nextPosition: number;
}

/** The patches that active scenarios have for a mock, in order of activation. */
export type PatchSource = (kind: string, id: string) => readonly ScenarioPatch[];

/** The mocks of one kind: ordered, checked at the door, and kept in effect in the table. */
export class MockStore implements MockCollection {
  readonly #protocol: Protocol;
  readonly #table: MockTable;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #compiler: MockCompiler;
  readonly #patchValidator: Validator | undefined;
  /** The counts of all of them. */
  readonly counts = new Tallies();
  readonly #tallies = new Map<string, MockTally>();
  readonly #effective = new Map<string, EffectiveMock>();
  readonly #listeners = new Set<(change: MockChange) => void>();
  #slots = new Map<string, Slot>();
  #nextPosition = 0;
  /** Set by the scenarios. */
  patchesFor: PatchSource = () => [];

  constructor(protocol: Protocol, table: MockTable, journal: Journal, clock: Clock) {
    this.#protocol = protocol;
    this.#table = table;
    this.#journal = journal;
    this.#clock = clock;
    this.#compiler = new MockCompiler(protocol, table.index, (id) => this.tallyOf(id));
    this.#patchValidator = protocol.mocks.patch && createValidator(protocol.mocks.patch.schema);
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
    return this.list().filter((mock) => (this.#tallies.get(mock.id)?.calls ?? 0) === 0);
  }

  get(id: string): StoredMock {
    return this.#slotOf(id).value;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  create(mock: unknown): StoredMock {
    return this.#createChecked([this.#prepareNew(mock, '', new Set())])[0] as StoredMock;
  }

  createAll(mocks: readonly unknown[]): readonly StoredMock[] {
    if (mocks.length === 0) {
      const message = `the list must hold at least one ${this.#compiler.noun}, got an empty one`;
      throw invalid(message, [{ path: '', message }]);
    }
    const taken = new Set<string>();
    const problems: Problem[] = [];
    const prepared: Prepared[] = [];
    mocks.forEach((mock, index) => {
      try {
        prepared.push(this.#prepareNew(mock, `/${index}`, taken));
      } catch (thrown) {
        if (!isBacklotError(thrown) || thrown.details === undefined) throw thrown;
        problems.push(...thrown.details);
      }
    });
    this.#compiler.refuse(problems);
    return this.#createChecked(prepared);
  }

  replace(id: string, mock: unknown): StoredMock {
    const place = { ...this.#slotOf(id).place, createdAt: this.#clock.now() };
    const value = this.#withId(mock, id);
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
    const value = this.#withId(declaration.apply(slot.base, patch as Readonly<Record<string, unknown>>), id);
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
        this.#createChecked([this.#prepareNew(mock, at, new Set())]);
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

  /** Works out one mock's effect anew after a scenario changed. */
  refresh(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#put(id, slot, this.#effectOf(slot));
    this.#tell({ type: 'changed', id });
  }

  /** The tally of a mock id; made when there is none. */
  tallyOf(id: string): MockTally {
    let tally = this.#tallies.get(id);
    if (tally === undefined) {
      tally = this.counts.create(id);
      this.#tallies.set(id, tally);
      this.#journal.registerMock(this.#protocol.kind, id, tally);
    }
    return tally;
  }

  /** The tally of a mock id, when it has one. */
  findTally(id: string): MockTally | undefined {
    return this.#tallies.get(id);
  }

  clearCalls(): void {
    for (const tally of this.#tallies.values()) {
      tally.calls = 0;
      const isForgotten = !this.#slots.has(tally.id) && tally.logged === 0 && !tally.hasWaiters;
      if (!isForgotten) continue;
      this.#tallies.delete(tally.id);
      this.counts.release(tally);
      this.#journal.forgetMock(this.#protocol.kind, tally.id);
    }
  }

  /** The mocks in effect now, in rank order. */
  values(): readonly LiveMock[] {
    return this.#table.values();
  }

  onChange(listener: (change: MockChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells listeners that conditions may hold or not hold now that did not or did. */
  conditionsChanged(): void {
    if (this.#listeners.size > 0) this.#tell({ type: 'changed' });
  }

  save(): SavedMocks {
    return {
      slots: [...this.#slots],
      calls: Array.from(this.#tallies.values(), (tally) => [tally.id, tally.calls] as const),
      nextPosition: this.#nextPosition,
    };
  }

  /** Puts a picture back; with `createdAt` as if its mocks were made at that time, for those that expire. */
  restore(saved: SavedMocks, createdAt?: number): void {
    for (const id of [...this.#effective.keys()]) this.#takeOutOfEffect(id);
    this.#slots = new Map(
      saved.slots.map(([id, slot]) => [
        id,
        createdAt === undefined ? slot : { ...slot, place: { ...slot.place, createdAt } },
      ]),
    );
    this.#nextPosition = saved.nextPosition;
    this.clearCalls();
    for (const [id, calls] of saved.calls) this.tallyOf(id).calls = calls;
    for (const [id, slot] of this.#slots) this.#put(id, slot, this.#effectOf(slot));
    this.#tell({ type: 'reset' });
  }

  #prepareNew(mock: unknown, base: string, taken: Set<string>): Prepared {
    if (!isObject(mock)) {
      throw invalid(`${this.#compiler.noun} must be an object, got ${show(mock)}`, [
        { path: base, message: `must be an object, got ${show(mock)}` },
      ]);
    }
    const given = mock['id'];
    const id =
      typeof given === 'string' && given !== ''
        ? given
        : given === undefined
          ? this.#newId(taken)
          : undefined;
    const value = id === undefined ? (mock as unknown as StoredMock) : this.#withId(mock, id);
    const ready = this.#compiler.compile(value, base);
    if (this.#slots.has(value.id) || taken.has(value.id)) {
      throw new BacklotError(
        'conflict',
        `${this.#compiler.noun} "${value.id}" already exists; replace it with PUT`,
      );
    }
    taken.add(value.id);
    return { value, ready };
  }

  #createChecked(prepared: readonly Prepared[]): readonly StoredMock[] {
    for (const { value, ready } of prepared) {
      const place = { position: this.#nextPosition++, createdAt: this.#clock.now() };
      const slot = { place, base: value, value, ready: ready.at(place) };
      this.tallyOf(value.id).calls = 0;
      this.#put(value.id, slot, this.#effectOf(slot));
      this.#tell({ type: 'added', id: value.id });
    }
    return prepared.map(({ value }) => value);
  }

  #withId(mock: unknown, id: string): StoredMock {
    if (!isObject(mock)) {
      const message = `must be an object, got ${show(mock)}`;
      throw invalid(`${this.#compiler.noun} ${message}`, [{ path: '', message }]);
    }
    const { id: _given, ...rest } = mock;
    return frozenCopy({ id, ...rest });
  }

  #effectOf({ value, ready, place }: Slot): EffectiveMock | undefined {
    const patched = this.#compiler.patchWithFitting(value, this.#patchesFor(value.id));
    return (patched === undefined ? ready : patched.ready)?.at(place);
  }

  /** Puts a changed mock in its place. @throws BacklotError `invalid` when it does not fit an active scenario's patch */
  #change(id: string, slot: Slot): StoredMock {
    const { value, place } = slot;
    const patched = this.#compiler.patch(value, this.#patchesFor(id));
    if (patched !== undefined && 'problems' in patched) this.#compiler.refuse(patched.problems);
    const ready = patched !== undefined && 'ready' in patched ? patched.ready : slot.ready;
    this.#put(id, slot, ready?.at(place));
    this.#tell({ type: 'changed', id });
    return value;
  }

  #patchesFor(id: string): readonly ScenarioPatch[] {
    return this.patchesFor(this.#protocol.kind, id);
  }

  #put(id: string, slot: Slot, mock: EffectiveMock | undefined): void {
    this.#slots.set(id, slot);
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

  /** @param taken - ids that are given out and not stored yet: of ten thousand random ones two are the same now and then */
  #newId(taken: ReadonlySet<string>): string {
    for (;;) {
      const id = `${this.#protocol.kind}-${randomBytes(4).toString('hex')}`;
      if (!this.#slots.has(id) && !taken.has(id)) return id;
    }
  }

  #tell(change: MockChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

interface Prepared {
  readonly value: StoredMock;
  readonly ready: ReadyMock;
}
