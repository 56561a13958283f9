import type { ScenarioView, SlicedScenarios } from '../contract/scenario.js';
import { runInSlices } from '../time/slices.js';
import type { ScenarioStore } from './scenario-store.js';
import type { SwitchPlan } from './scenario-switch.js';

/** How often a change is prepared anew when others have changed the scenarios meanwhile; then it is made at once. */
const MAX_TRIES = 3;

/** What a change leads to; `undefined` when there is nothing to change. */
type Plan = () => SwitchPlan | undefined;

/** The scenarios for who can wait: what takes long is done in slices, between which others are served. */
export class ScenarioSlices implements SlicedScenarios {
  readonly #store: ScenarioStore;
  /** Changes are made one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: ScenarioStore) {
    this.#store = store;
  }

  async list(): Promise<readonly ScenarioView[]> {
    return this.#views(this.#store.ids());
  }

  async active(): Promise<readonly ScenarioView[]> {
    return this.#views(this.#store.activeIds);
  }

  async get(id: string): Promise<ScenarioView> {
    return runInSlices(this.#store.viewSteps(this.#store.scenarioOf(id)));
  }

  async create(scenario: unknown): Promise<ScenarioView> {
    const stored = await runInSlices(this.#store.acceptSteps(scenario, undefined));
    this.#store.add(stored);
    return this.get(stored.id);
  }

  async replace(id: string, scenario: unknown): Promise<ScenarioView> {
    this.#store.scenarioOf(id);
    const stored = await runInSlices(this.#store.acceptSteps(scenario, id));
    await this.#change(
      () => this.#store.planReplace(stored),
      () => this.#store.put(stored),
    );
    return this.get(id);
  }

  async remove(id: string): Promise<void> {
    this.#store.scenarioOf(id);
    await this.deactivate(id);
    this.#store.remove(id);
  }

  async activate(id: string): Promise<readonly string[]> {
    return this.#change(
      () => this.#store.planActivate(id),
      () => this.#store.activate(id),
    );
  }

  async deactivate(id: string): Promise<readonly string[]> {
    return this.#change(
      () => this.#store.planDeactivate(id),
      () => this.#store.deactivate(id),
    );
  }

  async #views(ids: readonly string[]): Promise<readonly ScenarioView[]> {
    const views: ScenarioView[] = [];
    for (const id of ids) {
      // One may have gone while others were looked at.
      const scenario = this.#store.find(id);
      if (scenario !== undefined) views.push(await runInSlices(this.#store.viewSteps(scenario)));
    }
    return views;
  }

  /** @param atOnce - makes the change without preparation */
  #change(plan: Plan, atOnce: () => unknown): Promise<readonly string[]> {
    const done = this.#last.then(() => this.#run(plan, atOnce));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #run(plan: Plan, atOnce: () => unknown): Promise<readonly string[]> {
    for (let tried = 0; tried < MAX_TRIES; tried += 1) {
      const planned = plan();
      if (planned === undefined) break;
      const prepared = await runInSlices(this.#store.switchSteps(planned));
      if (this.#store.commit(planned, prepared)) {
        await runInSlices(prepared.tellSteps());
        await this.#store.incidentsBegun();
        for (const id of planned.told) {
          const scenario = this.#store.find(id);
          if (scenario !== undefined) await runInSlices(this.#store.warnSteps(scenario));
        }
        return this.#store.activeIds;
      }
      prepared.withdraw();
    }
    atOnce();
    await this.#store.incidentsBegun();
    return this.#store.activeIds;
  }
}
