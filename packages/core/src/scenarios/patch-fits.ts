import type { StoredMock } from '../contract/given.js';
import type { ScenarioPatch, StoredScenario } from '../contract/scenario.js';
import type { Problem } from '../errors.js';
import { recallFit, rememberFit } from '../mocks/checked-mocks.js';
import type { MockStore } from '../mocks/mock-store.js';
import { isTested } from '../validation/tested.js';
import { pointTo } from '../validation/pointer.js';

interface Fit {
  readonly value: StoredMock;
  readonly problems: readonly Problem[];
}

/**
 * What patches do not fit in their mocks. A patch and a stored mock never change, so what was found of the two is kept:
 * finding it compiles the patched mock.
 */
export class PatchFits {
  readonly #found = new WeakMap<ScenarioPatch, Map<MockStore, Fit>>();
  readonly #storesOf: (patch: ScenarioPatch) => readonly MockStore[];

  constructor(storesOf: (patch: ScenarioPatch) => readonly MockStore[]) {
    this.#storesOf = storesOf;
  }

  /** What the patches of a scenario do not fit in the mocks that are there, in steps, between which others are served. */
  *problemSteps(
    { patches = [] }: StoredScenario,
    isAsked: (index: number) => boolean = () => true,
  ): Generator<undefined, readonly Problem[]> {
    const problems: Problem[] = [];
    for (const [index, patch] of patches.entries()) {
      if (!isAsked(index)) continue;
      for (const store of this.#storesOf(patch)) {
        for (const { path, message } of this.#problemsOf(patch, store))
          problems.push({
            path: pointTo('/patches', index),
            message: `does not fit mock "${patch.mock_id}": ${path} ${message}`,
          });
        yield;
      }
    }
    return problems;
  }

  #problemsOf(patch: ScenarioPatch, store: MockStore): readonly Problem[] {
    const value = store.get(patch.mock_id);
    if (isTested(patch) && isTested(value)) return [];
    let fits = this.#found.get(patch);
    const known = fits?.get(store);
    if (known?.value === value) return known.problems;
    const problems = recallFit(value, patch) ? [] : store.checkPatches(patch.mock_id, [patch]);
    if (store.remembers && problems.length === 0) rememberFit(value, patch);
    if (fits === undefined) this.#found.set(patch, (fits = new Map<MockStore, Fit>()));
    fits.set(store, { value, problems });
    return problems;
  }
}
