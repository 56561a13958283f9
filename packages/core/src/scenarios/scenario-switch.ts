import type { ScenarioPatch, StoredScenario } from '../contract/scenario.js';
import type { Problem } from '../errors.js';
import type { MockStore } from '../mocks/mock-store.js';
import type { MockSwitches } from '../mocks/mock-switches.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';

/** Which scenarios are to be active, and what that changes. */
export interface SwitchPlan {
  /** What it was made of: it is stale when these are no more. */
  readonly from: {
    readonly active: readonly string[];
    readonly scenarios: ReadonlyMap<string, StoredScenario>;
  };
  readonly active: readonly string[];
  readonly scenarios: ReadonlyMap<string, StoredScenario>;
  readonly changed: readonly StoredScenario[];
  /** Those that are activated, or replaced: what their patches do not act on is told. */
  readonly told: readonly string[];
  /** Whether each mock must be valid with all its patches. */
  readonly mustFit: boolean;
}

/** The patches of active scenarios by mock id, in order of activation. */
export type PatchesById = Map<string, ScenarioPatch[]>;

/** Collects the patches of active scenarios. */
export function patchesIn(
  active: readonly string[],
  scenarios: ReadonlyMap<string, StoredScenario>,
): PatchesById {
  const patches: PatchesById = new Map();
  for (const id of active) {
    for (const patch of scenarios.get(id)?.patches ?? []) {
      const list = patches.get(patch.mock_id);
      if (list === undefined) patches.set(patch.mock_id, [patch]);
      else list.push(patch);
    }
  }
  return patches;
}

/** The patches for a mock of one kind. */
export function patchesFor(patches: PatchesById, kind: string, id: string): readonly ScenarioPatch[] {
  const found = patches.get(id);
  if (found === undefined) return [];
  return found.filter((patch) => patch.protocol === undefined || patch.protocol === kind);
}

/** What mocks will be once a plan is carried out: hidden in their tables until then. */
export class PreparedSwitch {
  readonly patches: PatchesById;
  readonly problems: Problem[] = [];
  readonly #switches = new Map<MockStore, MockSwitches>();
  /** How many mocks each kind had made when this was begun. */
  readonly #made: ReadonlyMap<MockStore, number>;

  /** @param stores - those of all kinds */
  constructor(patches: PatchesById, stores: Iterable<MockStore>) {
    this.patches = patches;
    this.#made = new Map(Array.from(stores, (store) => [store, store.made] as const));
  }

  /** Whether no mock has come since this was begun. */
  isComplete(stores: Iterable<MockStore>): boolean {
    for (const store of stores) if (this.#made.get(store) !== store.made) return false;
    return true;
  }

  /** Prepares one mock; nothing when it is prepared. */
  prepare(store: MockStore, id: string, mustFit: boolean): void {
    let switches = this.#switches.get(store);
    if (switches === undefined) this.#switches.set(store, (switches = store.switches));
    if (switches.has(id)) return;
    const refusal = switches.prepare(id, patchesFor(this.patches, store.kind, id), mustFit);
    for (const { path, message } of refusal?.problems ?? []) {
      if (this.problems.length >= MAX_PROBLEMS) return;
      this.problems.push({ path: '', message: `mock "${id}" with all active patches: ${path} ${message}` });
    }
  }

  /** Puts all into effect, each in place of what was there. */
  commit(): void {
    for (const switches of this.#switches.values()) switches.commit();
  }

  has(store: MockStore, id: string): boolean {
    return this.#switches.get(store)?.has(id) === true;
  }

  withdraw(): void {
    for (const switches of this.#switches.values()) switches.withdraw();
  }

  /** Tells who listens of the mocks that have changed. */
  *tellSteps(): Generator<undefined, void> {
    for (const switches of this.#switches.values()) yield* switches.tellSteps();
  }
}
