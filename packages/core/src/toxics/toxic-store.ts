import type { StoredToxic, ToxicCollection } from '../contract/toxics.js';
import type { Problem } from '../errors.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { Clock } from '../time/clock.js';
import { show } from '../validation/messages.js';
import { defineOwn, pointTo } from '../validation/pointer.js';
import { ToxicsOfKind, type SavedToxics, type ToxicSurroundings } from './kind-toxics.js';
import { checkToxic, type ToxicPlace } from './toxic-check.js';

/** The toxics of all kinds. */
export class ToxicStore implements ToxicCollection {
  readonly #kinds = new Map<string, ToxicsOfKind>();
  readonly #surroundings: ToxicSurroundings;
  /** The lists of scenarios with their defaults: the same toxic stays the same object. */
  readonly #completed = new WeakMap<readonly unknown[], readonly StoredToxic[]>();
  readonly #faults: FaultStore;
  /** Those of active scenarios for a kind, in order of activation. */
  overlays: (kind: string) => readonly StoredToxic[] = () => [];

  /**
   * @param faults - those of the same host, whose toxics act while they are in effect
   * @param onThrown - told what a service has thrown when its toxics changed
   */
  constructor(
    clock: Clock,
    seed: number,
    faults: FaultStore,
    onThrown: (kind: string, thrown: unknown) => void,
  ) {
    this.#faults = faults;
    faults.checkToxics = (kind, list, base) => this.checkList(kind, list, base);
    this.#surroundings = {
      clock,
      seed,
      overlays: (kind) => [...this.completed(kind, faults.toxicsOf(kind)), ...this.overlays(kind)],
      onThrown,
    };
  }

  /** Makes a kind known. */
  declare(place: ToxicPlace): ToxicsOfKind {
    const toxics = new ToxicsOfKind(place, this.#surroundings);
    this.#kinds.set(place.kind, toxics);
    this.#faults.onChange(place.kind, () => toxics.refresh());
    return toxics;
  }

  all(): Readonly<Record<string, readonly StoredToxic[]>> {
    const all = {};
    for (const [kind, toxics] of this.#kinds) if (!toxics.isEmpty) defineOwn(all, kind, toxics.list());
    return all;
  }

  clearAll(): void {
    for (const toxics of this.#kinds.values()) toxics.clear();
  }

  /** Works out anew what acts on a kind. */
  refresh(kind: string): void {
    this.#kinds.get(kind)?.refresh();
  }

  refreshAll(): void {
    for (const toxics of this.#kinds.values()) toxics.refresh();
  }

  /** Problems of the toxics that a scenario, a fault or a stage of an incident has for a kind; `base` is the JSON pointer of their list. */
  checkList(kind: string, list: readonly unknown[], base: string): Problem[] {
    const toxics = this.#kinds.get(kind);
    if (toxics === undefined) {
      const names = [...this.#kinds.keys()].join(', ');
      return [{ path: base, message: `protocol "${kind}" is not installed; installed are ${names}` }];
    }
    if (toxics.refusal !== undefined) return [{ path: base, message: toxics.refusal }];
    const names = new Set<string>();
    return list.flatMap((each, index) => {
      const at = pointTo(base, index);
      const { toxic, problems } = checkToxic(each, toxics.place, at);
      if (problems !== undefined) return problems;
      if (toxic.ttl !== undefined)
        return [
          {
            path: `${at}/ttl`,
            message:
              'cannot be used here: a toxic of a scenario lasts while that is active, and one of a fault while that is in effect',
          },
        ];
      const isTaken = names.has(toxic.name);
      names.add(toxic.name);
      return isTaken
        ? [{ path: `${at}/name`, message: `${show(toxic.name)} is the name of an earlier toxic` }]
        : [];
    });
  }

  /** The toxics that a scenario, a fault or a stage of an incident has for a kind, which were found to have no problems, with their defaults. */
  completed(kind: string, list: readonly unknown[]): readonly StoredToxic[] {
    const toxics = this.#kinds.get(kind);
    if (toxics === undefined) return [];
    let completed = this.#completed.get(list);
    if (completed === undefined) {
      completed = list.flatMap((each) => checkToxic(each, toxics.place).toxic ?? []);
      this.#completed.set(list, completed);
    }
    return completed;
  }

  save(): readonly SavedToxics[] {
    return Array.from(this.#kinds.values(), (toxics) => toxics.save());
  }

  /** Puts a snapshot back; the scenarios have been put back before. With `createdAt` as if all had been set then. */
  restore(saved: readonly SavedToxics[], createdAt: number | undefined): void {
    [...this.#kinds.values()].forEach((toxics, index) => toxics.restore(saved[index] ?? [], createdAt));
  }
}
