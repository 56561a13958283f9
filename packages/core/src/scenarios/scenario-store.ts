import type { StoredFault } from '../contract/given.js';
import type {
  ScenarioCollection,
  ScenarioPatch,
  ScenarioView,
  StoredScenario,
} from '../contract/scenario.js';
import { BacklotError, isBacklotError, problemsIn, type Problem } from '../errors.js';
import type { StoredToxic } from '../contract/toxics.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { ToxicStore } from '../toxics/toxic-store.js';
import type { ActivePatches } from '../mocks/effects.js';
import type { MockStore } from '../mocks/mock-store.js';
import { checkIdIsNew } from '../validation/check-id.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { MAX_PROBLEMS, onlyTheFirst } from '../validation/problem-list.js';
import { refuse, ScenarioIntake } from './scenario-intake.js';
import type { ScenarioIncidents } from './scenario-incidents.js';
import { missingMockSteps } from './missing-mocks.js';
import { PatchFits } from './patch-fits.js';
import {
  patchesFor,
  patchesIn,
  PreparedSwitch,
  type PatchesById,
  type SwitchPlan,
} from './scenario-switch.js';
import { ScenarioSlices } from './sliced-scenarios.js';
import { runAtOnce } from '../time/slices.js';

/** A snapshot of the scenarios and of which are active. */
export interface SavedScenarios {
  readonly scenarios: readonly StoredScenario[];
  readonly active: readonly string[];
}

const NO_STORES: readonly MockStore[] = [];

/** The scenarios: sets of mock patches, faults and toxics that are switched together. */
export class ScenarioStore implements ScenarioCollection {
  readonly #faults: FaultStore;
  readonly #toxics: ToxicStore;
  readonly #mocks: ReadonlyMap<string, MockStore>;
  readonly #warn: (text: string) => void;
  #scenarios = new Map<string, StoredScenario>();
  #active: readonly string[] = [];
  /** The patches in force. */
  #patches: PatchesById = new Map();
  readonly #inForce: ActivePatches;
  readonly #fits = new PatchFits((patch) => this.#storesOf(patch));
  readonly #intake: ScenarioIntake;
  readonly inSlices = new ScenarioSlices(this);
  #incidents: ScenarioIncidents | undefined;

  /** @param warn - told of what an activation leaves without effect */
  constructor(
    mocks: ReadonlyMap<string, MockStore>,
    faults: FaultStore,
    toxics: ToxicStore,
    warn: (text: string) => void,
  ) {
    this.#mocks = mocks;
    this.#warn = warn;
    this.#faults = faults;
    this.#toxics = toxics;
    this.#intake = new ScenarioIntake(mocks, faults, toxics, this.#fits);
    faults.overlays = (kind) => this.#faultsOf(kind);
    toxics.overlays = (kind) => this.#toxicsOf(kind);
    const patches = {
      of: (kind: string, id: string) => patchesFor(this.#patches, kind, id),
      ids: () => this.#patches.keys(),
    };
    this.#inForce = patches;
    for (const [, store] of mocks) this.patch(store);
  }

  /** Lets the patches that are in force hold for the mocks of a kind. */
  patch(store: MockStore): void {
    store.patches = this.#inForce;
  }

  /** Takes what begins the incidents that scenarios name; before any scenario is there. */
  set incidents(incidents: ScenarioIncidents) {
    this.#incidents = incidents;
    this.#intake.incidents = incidents;
  }

  /** Begins the incidents of those that are active. */
  async beginIncidents(): Promise<void> {
    await this.#incidents?.begin(this.#activeOnes());
  }

  /** Ends when the incidents that were to begin have begun. */
  async incidentsBegun(): Promise<void> {
    await this.#incidents?.settled;
  }

  /** The ids of all, in the order of creation. */
  ids(): readonly string[] {
    return [...this.#scenarios.keys()];
  }

  get activeIds(): readonly string[] {
    return this.#active;
  }

  find(id: string): StoredScenario | undefined {
    return this.#scenarios.get(id);
  }

  /** @throws BacklotError `not_found` */
  scenarioOf(id: string): StoredScenario {
    const scenario = this.#scenarios.get(id);
    if (scenario === undefined) throw new BacklotError('not_found', `no scenario "${id}"`);
    return scenario;
  }

  list(): readonly ScenarioView[] {
    return Array.from(this.#scenarios.values(), (scenario) => this.#view(scenario));
  }

  get(id: string): ScenarioView {
    return this.#view(this.scenarioOf(id));
  }

  create(scenario: unknown): ScenarioView {
    const stored = runAtOnce(this.acceptSteps(scenario, undefined));
    this.add(stored);
    return this.#view(stored);
  }

  /** Stores a new scenario that was accepted. @throws BacklotError `conflict` when its id exists */
  add(stored: StoredScenario): void {
    if (this.#scenarios.has(stored.id)) {
      throw new BacklotError('conflict', `scenario "${stored.id}" already exists; replace it with PUT`);
    }
    this.#scenarios.set(stored.id, stored);
  }

  replace(id: string, scenario: unknown): ScenarioView {
    this.scenarioOf(id);
    const stored = runAtOnce(this.acceptSteps(scenario, id));
    this.put(stored);
    return this.#view(stored);
  }

  /** Stores a scenario that was accepted in place of that with its id. */
  put(stored: StoredScenario): void {
    const { id } = stored;
    const before = this.scenarioOf(id);
    this.#scenarios.set(id, stored);
    if (this.#active.includes(id)) {
      const others = this.#activeOnes().filter((scenario) => scenario !== stored);
      try {
        this.#switchTo(this.#active, [before, stored]);
      } catch (thrown) {
        this.#scenarios.set(id, before);
        this.#switchTo(this.#active, [before, stored]);
        throw thrown;
      }
      this.#incidents?.change([...others, before], this.#activeOnes());
      runAtOnce(this.warnSteps(stored));
    }
  }

  remove(id: string): void {
    this.scenarioOf(id);
    this.deactivate(id);
    this.#scenarios.delete(id);
  }

  activate(id: string): readonly string[] {
    const scenario = this.scenarioOf(id);
    if (this.#active.includes(id)) return this.#active;
    const before = this.#active;
    try {
      this.#switchTo([...before, id], [scenario]);
    } catch (thrown) {
      this.#switchTo(before, [scenario]);
      throw thrown;
    }
    this.#incidents?.change(this.#activeOnes(before), this.#activeOnes());
    runAtOnce(this.warnSteps(scenario));
    return this.#active;
  }

  deactivate(id: string): readonly string[] {
    const scenario = this.scenarioOf(id);
    if (!this.#active.includes(id)) return this.#active;
    const before = this.#activeOnes();
    this.#setActive(this.#active.filter((other) => other !== id));
    this.#refresh([scenario]);
    this.#incidents?.change(before, this.#activeOnes());
    return this.#active;
  }

  active(): readonly ScenarioView[] {
    return this.#active.map((id) => this.get(id));
  }

  planActivate(id: string): SwitchPlan | undefined {
    const scenario = this.scenarioOf(id);
    if (this.#active.includes(id)) return undefined;
    return this.#plan([...this.#active, id], this.#scenarios, [scenario], true);
  }

  planDeactivate(id: string): SwitchPlan | undefined {
    const scenario = this.scenarioOf(id);
    if (!this.#active.includes(id)) return undefined;
    const active = this.#active.filter((other) => other !== id);
    return this.#plan(active, this.#scenarios, [scenario], false);
  }

  /** What a scenario in place of an active one leads to; `undefined` when it is not active. */
  planReplace(stored: StoredScenario): SwitchPlan | undefined {
    const before = this.scenarioOf(stored.id);
    if (!this.#active.includes(stored.id)) return undefined;
    const scenarios = new Map(this.#scenarios).set(stored.id, stored);
    return this.#plan(this.#active, scenarios, [before, stored], true);
  }

  /** Compiles the mocks that a plan changes, in steps. @throws BacklotError `invalid` when one would not be valid */
  *switchSteps({ active, scenarios, changed, mustFit }: SwitchPlan): Generator<undefined, PreparedSwitch> {
    const prepared = new PreparedSwitch(patchesIn(active, scenarios), this.#mocks.values());
    let isWhole = false;
    try {
      for (const { patches = [] } of changed) {
        for (const patch of patches) {
          for (const store of this.#storesOf(patch)) prepared.prepare(store, patch.mock_id, mustFit);
          yield;
        }
      }
      refuse(prepared.problems);
      isWhole = true;
      return prepared;
    } finally {
      if (!isWhole) prepared.withdraw();
    }
  }

  /** Carries a plan out that was prepared; `false` when it is stale, and nothing was done. */
  commit({ from, active, scenarios, changed }: SwitchPlan, prepared: PreparedSwitch): boolean {
    const isStale = from.active !== this.#active || !isSameMap(from.scenarios, this.#scenarios);
    if (isStale) return false;
    const before = this.#activeOnes();
    for (const { id } of changed) {
      const stored = scenarios.get(id);
      if (stored !== undefined) this.#scenarios.set(id, stored);
    }
    this.#active = active;
    this.#patches = prepared.patches;
    prepared.commit();
    this.#incidents?.change(before, this.#activeOnes());
    for (const { faults = {}, toxics = {}, patches = [] } of changed) {
      for (const kind of Object.keys(faults)) this.#faults.refresh(kind);
      for (const kind of Object.keys(toxics)) this.#toxics.refresh(kind);
      if (prepared.isComplete(this.#mocks.values())) continue;
      // Mocks came meanwhile.
      for (const patch of patches)
        for (const store of this.#storesOf(patch))
          if (!prepared.has(store, patch.mock_id)) store.refresh(patch.mock_id);
    }
    return true;
  }

  /**
   * Loads the scenarios of a configuration, in steps; those with `active: true` start active, in order.
   *
   * @returns problems; the scenarios without problems are there
   */
  *loadSteps(scenarios: readonly unknown[], base: string): Generator<undefined, readonly Problem[]> {
    const problems: Problem[] = [];
    const ids = new Set<unknown>();
    for (const [index, scenario] of scenarios.entries()) {
      const at = pointTo(base, index);
      problems.push(...checkIdIsNew(scenario, ids, 'scenario', at));
      try {
        const stored = yield* this.acceptSteps(scenario, undefined);
        this.add(stored);
        if (isObject(scenario) && scenario['active'] === true) this.activate(stored.id);
      } catch (thrown) {
        if (!isBacklotError(thrown)) throw thrown;
        if (thrown.code !== 'conflict') problems.push(...problemsIn(thrown, at));
      }
      if (problems.length >= MAX_PROBLEMS && index + 1 < scenarios.length) {
        problems.push({ path: base, message: onlyTheFirst(index + 1, scenarios.length, problems.length) });
        break;
      }
      yield;
    }
    return problems;
  }

  save(): SavedScenarios {
    return { scenarios: [...this.#scenarios.values()], active: this.#active };
  }

  /** Puts a snapshot back; the mocks are restored afterwards and take their patches from here. */
  restore(saved: SavedScenarios): void {
    this.#scenarios = new Map(saved.scenarios.map((scenario) => [scenario.id, scenario]));
    this.#setActive(saved.active);
    this.#faults.refreshAll();
  }

  /** Takes other scenarios, as {@link restore}; the incidents of those that are active no more end, those of others begin. */
  replaceAll(saved: SavedScenarios): void {
    const before = this.#activeOnes();
    this.restore(saved);
    this.#incidents?.change(before, this.#activeOnes());
  }

  #plan(
    active: readonly string[],
    scenarios: ReadonlyMap<string, StoredScenario>,
    changed: readonly StoredScenario[],
    mustFit: boolean,
  ): SwitchPlan {
    const from = { active: this.#active, scenarios: new Map(this.#scenarios) };
    const told = mustFit ? changed.slice(-1).map(({ id }) => id) : [];
    return { from, active, scenarios: new Map(scenarios), changed, told, mustFit };
  }

  #view(scenario: StoredScenario): ScenarioView {
    return runAtOnce(this.viewSteps(scenario));
  }

  /** A scenario as it is shown, in steps: its patches are compiled. */
  *viewSteps(scenario: StoredScenario): Generator<undefined, ScenarioView> {
    const unfit = yield* this.#fits.problemSteps(scenario);
    const missing = yield* missingMockSteps(scenario.patches, this.#mocks);
    const problems = [...unfit, ...missing];
    const active = this.#active.includes(scenario.id);
    return problems.length === 0 ? { ...scenario, active } : { ...scenario, active, problems };
  }

  /** Checks a scenario, in steps. @throws BacklotError `invalid` with every problem */
  acceptSteps(scenario: unknown, id: string | undefined): Generator<undefined, StoredScenario> {
    return this.#intake.acceptSteps(scenario, id);
  }

  /** Tells of patches of an active scenario that act on nothing, in steps. */
  *warnSteps({ id, patches }: StoredScenario): Generator<undefined, void> {
    for (const { path, message } of yield* missingMockSteps(patches, this.#mocks)) {
      this.#warn(`scenario "${id}": ${path} ${message}`);
    }
  }

  /** Makes these scenarios the active ones. @throws when a patched mock would not be valid */
  #switchTo(active: readonly string[], changed: readonly StoredScenario[]): void {
    this.#setActive(active);
    const problems: Problem[] = [];
    for (const patch of changed.flatMap((scenario) => scenario.patches ?? [])) {
      for (const store of this.#storesOf(patch)) {
        const found = store.checkPatches(patch.mock_id, store.patchesFor(patch.mock_id));
        problems.push(
          ...found.map((problem) => ({
            path: '',
            message: `mock "${patch.mock_id}" with all active patches: ${problem.path} ${problem.message}`,
          })),
        );
      }
    }
    refuse(problems);
    this.#refresh(changed);
  }

  #setActive(active: readonly string[]): void {
    this.#active = active;
    this.#patches = patchesIn(active, this.#scenarios);
  }

  #refresh(changed: readonly StoredScenario[]): void {
    for (const scenario of changed) {
      for (const kind of Object.keys(scenario.faults ?? {})) this.#faults.refresh(kind);
      for (const kind of Object.keys(scenario.toxics ?? {})) this.#toxics.refresh(kind);
      for (const patch of scenario.patches ?? [])
        for (const store of this.#storesOf(patch)) store.refresh(patch.mock_id);
    }
  }

  #activeOnes(ids = this.#active): readonly StoredScenario[] {
    return ids.flatMap((id) => this.#scenarios.get(id) ?? []);
  }

  #faultsOf(kind: string): readonly StoredFault[] {
    return this.#active.flatMap((id) => {
      const faults = this.#scenarios.get(id)?.faults;
      const fault = faults !== undefined && Object.hasOwn(faults, kind) ? faults[kind] : undefined;
      return fault === undefined ? [] : [fault];
    });
  }

  #toxicsOf(kind: string): readonly StoredToxic[] {
    return this.#active.flatMap((id) => {
      const toxics = this.#scenarios.get(id)?.toxics;
      const list = toxics !== undefined && Object.hasOwn(toxics, kind) ? toxics[kind] : undefined;
      return list === undefined ? [] : this.#toxics.completed(kind, list);
    });
  }

  #storesOf({ protocol, mock_id: id }: ScenarioPatch): readonly MockStore[] {
    if (protocol !== undefined) {
      const store = this.#mocks.get(protocol);
      return store?.has(id) === true ? [store] : NO_STORES;
    }
    // Of very many patches most have one store or none: a list is made for those that have some.
    let found: MockStore[] | undefined;
    for (const store of this.#mocks.values()) if (store.has(id)) (found ??= []).push(store);
    return found ?? NO_STORES;
  }
}

function isSameMap<K, V>(map: ReadonlyMap<K, V>, other: ReadonlyMap<K, V>): boolean {
  if (map.size !== other.size) return false;
  for (const [key, value] of map) if (other.get(key) !== value) return false;
  return true;
}
