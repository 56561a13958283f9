import { randomBytes } from 'node:crypto';
import type { StoredFault } from '../contract/given.js';
import type {
  ScenarioCollection,
  ScenarioPatch,
  ScenarioView,
  StoredScenario,
} from '../contract/scenario.js';
import { BacklotError, invalid, isBacklotError, problemsIn, type Problem } from '../errors.js';
import type { FaultStore } from '../faults/fault-store.js';
import { ScenarioSchema } from '../contract/whole-schemas.js';
import type { MockStore } from '../mocks/mock-store.js';
import { checkIdIsNew } from '../validation/check-id.js';
import { frozenCopy } from '../validation/freeze.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import { createValidator } from '../validation/validator.js';
import { checkPatch } from './check-patch.js';
import { findMissingMocks } from './missing-mocks.js';

/** A snapshot of the scenarios and of which are active. */
export interface SavedScenarios {
  readonly scenarios: readonly StoredScenario[];
  readonly active: readonly string[];
}

const NO_STORES: readonly MockStore[] = [];

/** The scenarios: sets of mock patches and faults that are switched together. */
export class ScenarioStore implements ScenarioCollection {
  readonly #validator = createValidator(ScenarioSchema);
  readonly #faults: FaultStore;
  readonly #mocks: ReadonlyMap<string, MockStore>;
  readonly #warn: (text: string) => void;
  #scenarios = new Map<string, StoredScenario>();
  #active: readonly string[] = [];
  /** The patches in force by mock id, in order of activation. */
  #patches = new Map<string, ScenarioPatch[]>();

  /** @param warn - told of what an activation leaves without effect */
  constructor(mocks: ReadonlyMap<string, MockStore>, faults: FaultStore, warn: (text: string) => void) {
    this.#mocks = mocks;
    this.#warn = warn;
    this.#faults = faults;
    faults.overlays = (kind) => this.#faultsOf(kind);
    const patches = {
      of: (kind: string, id: string) => this.#patchesFor(kind, id),
      ids: () => this.#patches.keys(),
    };
    for (const [, store] of mocks) store.patches = patches;
  }

  list(): readonly ScenarioView[] {
    return Array.from(this.#scenarios.values(), (scenario) => this.#view(scenario));
  }

  get(id: string): ScenarioView {
    return this.#view(this.#scenarioOf(id));
  }

  create(scenario: unknown): ScenarioView {
    const stored = this.#accept(scenario, undefined);
    if (this.#scenarios.has(stored.id)) {
      throw new BacklotError('conflict', `scenario "${stored.id}" already exists; replace it with PUT`);
    }
    this.#scenarios.set(stored.id, stored);
    return this.#view(stored);
  }

  replace(id: string, scenario: unknown): ScenarioView {
    const before = this.#scenarioOf(id);
    const stored = this.#accept(scenario, id);
    this.#scenarios.set(id, stored);
    if (this.#active.includes(id)) {
      try {
        this.#switchTo(this.#active, [before, stored]);
      } catch (thrown) {
        this.#scenarios.set(id, before);
        this.#switchTo(this.#active, [before, stored]);
        throw thrown;
      }
      this.#warnOfMissing(stored);
    }
    return this.#view(stored);
  }

  remove(id: string): void {
    this.#scenarioOf(id);
    this.deactivate(id);
    this.#scenarios.delete(id);
  }

  activate(id: string): readonly string[] {
    const scenario = this.#scenarioOf(id);
    if (this.#active.includes(id)) return this.#active;
    const before = this.#active;
    try {
      this.#switchTo([...before, id], [scenario]);
    } catch (thrown) {
      this.#switchTo(before, [scenario]);
      throw thrown;
    }
    this.#warnOfMissing(scenario);
    return this.#active;
  }

  deactivate(id: string): readonly string[] {
    const scenario = this.#scenarioOf(id);
    if (!this.#active.includes(id)) return this.#active;
    this.#setActive(this.#active.filter((other) => other !== id));
    this.#refresh([scenario]);
    return this.#active;
  }

  active(): readonly ScenarioView[] {
    return this.#active.map((id) => this.get(id));
  }

  /**
   * Loads the scenarios of a configuration; those with `active: true` start active, in order.
   *
   * @returns problems; the scenarios without problems are there
   */
  load(scenarios: readonly unknown[], base: string): Problem[] {
    const problems: Problem[] = [];
    const ids = new Set<unknown>();
    scenarios.forEach((scenario, index) => {
      const at = pointTo(base, index);
      problems.push(...checkIdIsNew(scenario, ids, 'scenario', at));
      try {
        const { id } = this.create(scenario);
        if (isObject(scenario) && scenario['active'] === true) this.activate(id);
      } catch (thrown) {
        if (!isBacklotError(thrown)) throw thrown;
        if (thrown.code === 'conflict') return;
        problems.push(...problemsIn(thrown, at));
      }
    });
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

  #view(scenario: StoredScenario): ScenarioView {
    const problems = [...this.#problemsOf(scenario), ...findMissingMocks(scenario.patches, this.#mocks)];
    const active = this.#active.includes(scenario.id);
    return problems.length === 0 ? { ...scenario, active } : { ...scenario, active, problems };
  }

  #accept(scenario: unknown, id: string | undefined): StoredScenario {
    if (!isObject(scenario)) {
      const message = `must be an object, got ${show(scenario)}`;
      throw invalid(`a scenario ${message}`, [{ path: '', message }]);
    }
    const problems = this.#validator.check(scenario);
    this.#refuse(problems);
    const { active: _active, problems: _problems, id: given, ...rest } = scenario;
    const stored = frozenCopy({ id: id ?? given ?? this.#newId(), ...rest }) as StoredScenario;
    for (const [kind, fault] of Object.entries(stored.faults ?? {})) {
      problems.push(...this.#faults.check(kind, fault, pointTo('/faults', kind)));
    }
    stored.patches?.forEach((patch, index) => {
      const found = checkPatch(patch);
      // Of very many patches most have no problem: their places are made for those that have one.
      for (const { path, message } of found)
        problems.push({ path: pointTo('/patches', index) + path, message });
      if (patch.protocol !== undefined && !this.#mocks.has(patch.protocol)) {
        problems.push({
          path: pointTo(pointTo('/patches', index), 'protocol'),
          message: `protocol "${patch.protocol}" is not installed`,
        });
      }
    });
    // What is wrong with a patch by itself would only be said again of it and its mock.
    const isSound = ({ path }: Problem): boolean =>
      !problems.some((problem) => problem.path.startsWith(`${path}/`));
    problems.push(...this.#problemsOf(stored).filter(isSound));
    this.#refuse(problems);
    return stored;
  }

  #problemsOf(scenario: StoredScenario): Problem[] {
    return (scenario.patches ?? []).flatMap((patch, index) =>
      this.#storesOf(patch).flatMap((store) =>
        store.checkPatches(patch.mock_id, [patch]).map((problem) => ({
          path: pointTo('/patches', index),
          message: `does not fit mock "${patch.mock_id}": ${problem.path} ${problem.message}`,
        })),
      ),
    );
  }

  #warnOfMissing({ id, patches }: StoredScenario): void {
    for (const { path, message } of findMissingMocks(patches, this.#mocks)) {
      this.#warn(`scenario "${id}": ${path} ${message}`);
    }
  }

  #refuse(problems: readonly Problem[]): void {
    const [first] = problems;
    if (first === undefined) return;
    const where = first.path === '' ? '' : ` ${first.path}`;
    throw invalid(`scenario${where}: ${first.message}`, problems);
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
    this.#refuse(problems);
    this.#refresh(changed);
  }

  #setActive(active: readonly string[]): void {
    this.#active = active;
    this.#patches = new Map();
    for (const id of active) {
      for (const patch of this.#scenarios.get(id)?.patches ?? []) {
        const list = this.#patches.get(patch.mock_id);
        if (list === undefined) this.#patches.set(patch.mock_id, [patch]);
        else list.push(patch);
      }
    }
  }

  #refresh(changed: readonly StoredScenario[]): void {
    for (const scenario of changed) {
      for (const kind of Object.keys(scenario.faults ?? {})) this.#faults.refresh(kind);
      for (const patch of scenario.patches ?? [])
        for (const store of this.#storesOf(patch)) store.refresh(patch.mock_id);
    }
  }

  #patchesFor(kind: string, id: string): readonly ScenarioPatch[] {
    const patches = this.#patches.get(id);
    if (patches === undefined) return [];
    return patches.filter((patch) => patch.protocol === undefined || patch.protocol === kind);
  }

  #faultsOf(kind: string): readonly StoredFault[] {
    return this.#active.flatMap((id) => {
      const faults = this.#scenarios.get(id)?.faults;
      const fault = faults !== undefined && Object.hasOwn(faults, kind) ? faults[kind] : undefined;
      return fault === undefined ? [] : [fault];
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

  #scenarioOf(id: string): StoredScenario {
    const scenario = this.#scenarios.get(id);
    if (scenario === undefined) throw new BacklotError('not_found', `no scenario "${id}"`);
    return scenario;
  }

  #newId(): string {
    return `scenario-${randomBytes(4).toString('hex')}`;
  }
}
