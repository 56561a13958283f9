import type { ScenarioPatch } from '../contract/scenario.js';
import { runInSlices } from '../time/slices.js';
import type { MockCounter } from './counters.js';
import type { EffectiveMock } from './live-mock.js';
import type { MockCompiler, Refusal } from './mock-compiler.js';
import type { MockTable } from './mock-table.js';
import { NextMocks } from './next-mocks.js';
import { expires, type SavedMocks, type Slot, type SlotMap } from './slot-map.js';
import type { Veil } from './veil.js';

/** The patches that active scenarios have for mocks. */
export interface ActivePatches {
  /** Those for one mock of a kind, in order of activation. */
  of(kind: string, id: string): readonly ScenarioPatch[];
  /** The ids of all mocks, of whatever kind, that there are some for. */
  ids(): Iterable<string>;
}

/** Slots that are gone through at once when a snapshot is put back: of more, what can be is done beforehand. */
const AT_ONCE = 2_000;

/** Mocks that are asked one by one whether there are patches for them; of more it is asked which mocks there are patches for. */
const FEW = 100;

/** What a mock will be with other patches: hidden in the table until it takes its place. */
export interface PreparedSwitch {
  readonly slot: Slot;
  /** Absent where the patches disable it. */
  readonly mock: EffectiveMock | undefined;
  /** The slot without what is in the table now. */
  readonly kept: Slot;
}

const NO_PATCHES: ActivePatches = { of: () => [], ids: () => [] };

/** Which mocks of a kind are in effect: the stored ones with the patches of active scenarios. Keeps the table so. */
export class Effects {
  readonly #kind: string;
  readonly #table: MockTable;
  readonly #compiler: MockCompiler;
  readonly #slots: SlotMap;
  readonly #counterOf: (id: string) => MockCounter;
  #effective = new Map<string, EffectiveMock>();
  /** What is being made of a snapshot that will be put back. */
  #next: NextMocks | undefined;
  /** The ids of those that are not in effect as they were compiled when they were stored. */
  readonly #altered = new Set<string>();
  patches = NO_PATCHES;

  /** @param counterOf - gives the counter of an id */
  constructor(
    kind: string,
    table: MockTable,
    compiler: MockCompiler,
    slots: SlotMap,
    counterOf: (id: string) => MockCounter,
  ) {
    this.#kind = kind;
    this.#table = table;
    this.#compiler = compiler;
    this.#slots = slots;
    this.#counterOf = counterOf;
  }

  /** The patches in force for one mock. */
  patchesOf(id: string): readonly ScenarioPatch[] {
    return this.patches.of(this.#kind, id);
  }

  /** What is in effect of a mock. */
  find(id: string): EffectiveMock | undefined {
    return this.#effective.get(id);
  }

  /** Puts a mock into effect that is hidden as yet. */
  addHidden(mock: EffectiveMock): void {
    this.#next?.touched.add(mock.id);
    this.#effective.set(mock.id, mock);
    this.#table.add(mock);
  }

  /** Mocks that were hidden are shown. */
  shown(mocks: readonly { readonly mock: EffectiveMock }[]): void {
    if (this.#next !== undefined) for (const { mock } of mocks) this.#next.touched.add(mock.id);
  }

  /** The slots of the mocks that a veil hides for which active scenarios have patches. */
  patchedBehind(veil: Veil, mocks: readonly { readonly slot: Slot }[]): readonly Slot[] {
    const slots: Slot[] = [];
    if (mocks.length <= FEW) {
      for (const { slot } of mocks) if (this.patchesOf(slot.value.id).length > 0) slots.push(slot);
      return slots;
    }
    for (const id of this.patches.ids()) {
      const slot = this.#slots.behind(veil, id);
      if (slot !== undefined && this.patchesOf(id).length > 0) slots.push(slot);
    }
    return slots;
  }

  /** Takes this very mock out of effect. */
  drop(mock: EffectiveMock): void {
    this.#next?.touched.add(mock.id);
    if (this.#effective.get(mock.id) === mock) this.#effective.delete(mock.id);
    this.#table.remove(mock);
  }

  /** Puts a stored mock into effect, with the patches in force that fit it. */
  refresh(slot: Slot): void {
    const { value, ready, place } = slot;
    const patched = this.#compiler.patchWithFitting(value, this.patchesOf(value.id));
    this.put(slot, (patched === undefined ? ready : patched.ready)?.at(place));
  }

  /**
   * Compiles what a stored mock will be with these patches.
   *
   * @param mustFit - whether patches that do not fit are problems; else they are skipped
   */
  prepareSwitch(slot: Slot, patches: readonly ScenarioPatch[], mustFit: boolean): PreparedSwitch | Refusal {
    const { value, ready, place } = slot;
    const patched = mustFit
      ? this.#compiler.patch(value, patches)
      : this.#compiler.patchWithFitting(value, patches);
    if (patched !== undefined && 'problems' in patched) return patched;
    const mock = patched === undefined ? ready.copy(place) : patched.ready?.at(place);
    if (mock !== undefined) {
      mock.hide();
      this.#table.add(mock);
    }
    return { slot, mock, kept: { ...slot, ready: ready.copy(place) } };
  }

  /**
   * Puts what was prepared into effect; the patches in force are those that it was prepared with. What has changed since
   * is made anew. It is one step for very many mocks, so it does nothing twice that costs a look into a map.
   */
  commitSwitch(prepared: Iterable<PreparedSwitch>): void {
    const gone: EffectiveMock[] = [];
    for (const { slot, mock, kept } of prepared) {
      const { id } = slot.value;
      const now = this.#slots.get(id);
      if (now !== slot) {
        if (mock !== undefined) gone.push(mock);
        if (now !== undefined) this.refresh(now);
        continue;
      }
      this.#next?.touched.add(id);
      const before = this.#effective.get(id);
      if (before?.isHidden === false) {
        before.hide();
        gone.push(before);
      }
      // What was in effect as it is stored is on its way out of the table, and must not be needed again.
      if (slot.ready.isHidden) this.#slots.renew(kept);
      this.#altered.add(id);
      if (mock === undefined) this.#effective.delete(id);
      else {
        this.#effective.set(id, mock);
        mock.show();
      }
    }
    this.#table.changed();
    void runInSlices(this.#table.removeSteps(gone));
  }

  /** Takes away what was prepared and is not wanted. */
  withdrawSwitch(prepared: Iterable<PreparedSwitch>): void {
    const gone = Array.from(prepared, ({ mock }) => mock).filter((mock) => mock !== undefined);
    void runInSlices(this.#table.removeSteps(gone));
  }

  /** Puts what a stored mock was compiled to into effect, in place of what was there; nothing when it is undefined. */
  put({ value: { id }, ready }: Slot, mock: EffectiveMock | undefined): void {
    this.takeOut(id);
    if (mock === ready) this.#altered.delete(id);
    else this.#altered.add(id);
    if (mock === undefined) return;
    this.#effective.set(id, mock);
    this.#table.add(mock);
  }

  /** Takes whatever is in effect under an id out of effect. */
  takeOut(id: string): void {
    this.#next?.touched.add(id);
    this.#altered.delete(id);
    const mock = this.#effective.get(id);
    if (mock === undefined) return;
    this.#effective.delete(id);
    this.#table.remove(mock);
  }

  /**
   * Follows the stored mocks after a snapshot was put back. Mocks that have not changed stay in effect.
   *
   * @param changed - the ids of those that are not as they were before; absent when that may be any
   */
  restore(changed: readonly string[] | undefined): void {
    if (this.#next !== undefined) this.#next.isStale = true;
    const gone: EffectiveMock[] = [];
    if (changed === undefined) {
      for (const id of this.#effective.keys()) if (this.#slots.get(id) === undefined) this.#hide(id, gone);
      for (const slot of this.#slots.values()) this.#follow(slot);
    } else {
      for (const ids of [changed, [...this.#altered], this.patches.ids()]) {
        for (const id of ids) {
          const slot = this.#slots.get(id);
          if (slot === undefined) this.#hide(id, gone);
          else this.#follow(slot);
        }
      }
    }
    void runInSlices(this.#table.removeSteps(gone));
  }

  /** Whether putting a snapshot back is so little that it needs no preparation. */
  isQuick({ slots }: SavedMocks): boolean {
    return this.#slots.countSteps(slots) <= AT_ONCE;
  }

  /**
   * Makes what can be made of a snapshot before it is put back, step by step: nobody sees anything of it before
   * {@link adopt}. There is one at a time.
   *
   * @returns undefined when there is so little to be done that it can be done at once
   */
  *prepare(saved: SavedMocks): Generator<undefined, NextMocks | undefined> {
    if (this.isQuick(saved)) return undefined;
    const { slots } = saved;
    const next = new NextMocks(slots);
    this.#next = next;
    let isWhole = false;
    try {
      for (const slot of slots) {
        this.#prepareOne(slot, next);
        yield;
      }
      for (const [id, mock] of this.#effective) {
        if (!mock.isHidden && next.effective.get(id) !== mock) next.gone.push(mock);
        yield;
      }
      isWhole = true;
      return next;
    } finally {
      if (!isWhole) this.withdraw(next);
    }
  }

  /** Forgets what was made of a snapshot. */
  withdraw(next: NextMocks): void {
    this.#next = undefined;
    void runInSlices(this.#table.removeSteps(next.added));
  }

  /**
   * Puts a snapshot back that was prepared.
   *
   * @param createdAt - mocks that expire are as if made at that time; absent, they keep theirs
   */
  adopt(next: NextMocks, createdAt?: number): void {
    this.#next = undefined;
    const before = this.#effective;
    this.#effective = next.effective;
    this.#altered.clear();
    for (const mock of next.gone) if (before.get(mock.id) === mock) mock.hide();
    const anew: string[] = [];
    for (const id of next.touched) {
      const mock = before.get(id);
      const prepared = next.effective.get(id);
      if (mock === prepared) continue;
      if (mock?.isHidden === false) {
        mock.hide();
        next.gone.push(mock);
      }
      // It was in effect as the snapshot has it, and was taken out meanwhile.
      if (prepared?.isHidden === false) anew.push(id);
    }
    for (const mock of next.added) {
      if (mock.counter.isReleased) anew.push(mock.id);
      else mock.show();
    }
    for (const { ready } of this.#slots.adopt(next, createdAt)) this.#effective.set(ready.id, ready);
    for (const id of anew) {
      const slot = this.#slots.get(id) ?? next.slots.get(id);
      if (slot !== undefined) this.refresh(this.#slots.renew(slot));
    }
    for (const { value } of next.expiring) this.#refreshId(value.id);
    for (const id of this.patches.ids()) this.#refreshId(id);
    this.#table.changed();
    void runInSlices(this.#table.removeSteps(next.gone));
  }

  #prepareOne(slot: Slot, next: NextMocks): void {
    const { id } = slot.value;
    if (expires(slot)) {
      next.expiring.push(slot);
      next.slots.set(id, slot);
      return;
    }
    const now = this.#slots.get(id);
    const isInEffect =
      now?.value === slot.value && now.place === slot.place && this.#effective.get(id) === now.ready;
    if (now !== undefined && isInEffect) {
      next.slots.set(id, now);
      next.effective.set(id, now.ready);
      return;
    }
    const counter = this.#counterOf(id);
    const ready = this.#isFree(slot, now, counter) ? slot.ready : slot.ready.copy(slot.place, counter);
    ready.hide();
    this.#table.add(ready);
    next.added.push(ready);
    next.slots.set(id, ready === slot.ready ? slot : { ...slot, ready });
    next.effective.set(id, ready);
  }

  /**
   * Whether what a slot of a snapshot was compiled to can be in effect again as it is, since it is no more: it is neither stored nor
   * on its way out of the table, and counts as the mock does.
   */
  #isFree({ ready, place }: Slot, now: Slot | undefined, counter: MockCounter): boolean {
    return (
      ready !== now?.ready && ready.counter === counter && ready.place === place && !this.#table.has(ready)
    );
  }

  #refreshId(id: string): void {
    const slot = this.#slots.get(id);
    if (slot !== undefined) this.refresh(slot);
  }

  /** Takes a mock out of effect at once, and lists it to be taken out of the table. One that is being created stays. */
  #hide(id: string, gone: EffectiveMock[]): void {
    const mock = this.#effective.get(id);
    if (mock === undefined || mock.isHidden) return;
    this.#effective.delete(id);
    this.#altered.delete(id);
    mock.hide();
    gone.push(mock);
  }

  #follow(slot: Slot): void {
    const { ready, place, value } = slot;
    const isAsStored = this.#effective.get(value.id) === ready && ready.place === place;
    if (!isAsStored || this.patchesOf(value.id).length > 0) this.refresh(slot);
  }
}
