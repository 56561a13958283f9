import { randomBytes } from 'node:crypto';
import type { StoredScenario } from '../contract/scenario.js';
import { ScenarioSchema } from '../contract/whole-schemas.js';
import { invalid, type Problem } from '../errors.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { ToxicStore } from '../toxics/toxic-store.js';
import { frozenCopy } from '../validation/freeze.js';
import { show } from '../validation/messages.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';
import { isTested, markTested } from '../validation/tested.js';
import { createValidator } from '../validation/validator.js';
import { checkPatch } from './check-patch.js';
import type { ScenarioIncidents } from './scenario-incidents.js';
import type { PatchFits } from './patch-fits.js';

/** Patches that are gone through before others may be let in. */
const STEP = 256;

/** Checks scenarios that are given. */
export class ScenarioIntake {
  readonly #validator = createValidator(ScenarioSchema);
  readonly #mocks: { has(kind: string): boolean };
  readonly #faults: FaultStore;
  readonly #toxics: ToxicStore;
  readonly #fits: PatchFits;
  /** There once the incidents of the host are known. */
  incidents: ScenarioIncidents | undefined;

  constructor(
    mocks: { has(kind: string): boolean },
    faults: FaultStore,
    toxics: ToxicStore,
    fits: PatchFits,
  ) {
    this.#mocks = mocks;
    this.#faults = faults;
    this.#toxics = toxics;
    this.#fits = fits;
  }

  /** Checks a scenario, in steps. @throws BacklotError `invalid` with every problem */
  *acceptSteps(scenario: unknown, id: string | undefined): Generator<undefined, StoredScenario> {
    if (!isObject(scenario)) {
      const message = `must be an object, got ${show(scenario)}`;
      throw invalid(`a scenario ${message}`, [{ path: '', message }]);
    }
    const problems = isTested(scenario) ? [] : yield* this.#formSteps(scenario);
    refuse(problems);
    const { active: _active, problems: _problems, id: given, patches, ...rest } = scenario;
    const own = frozenCopy({ id: id ?? given ?? newId(), ...rest });
    const copied = patches === undefined ? {} : { patches: yield* copySteps(patches as readonly unknown[]) };
    const stored = Object.freeze({ ...own, ...copied }) as StoredScenario;
    if (isTested(scenario)) for (const patch of stored.patches ?? []) markTested(patch);
    for (const [kind, fault] of Object.entries(stored.faults ?? {})) {
      const at = pointTo('/faults', kind);
      problems.push(...this.#faults.check(kind, fault, at));
      if (fault.expires !== undefined)
        problems.push({
          path: `${at}/expires`,
          message: 'is for a fault that is set by itself; this one ends when the scenario is deactivated',
        });
    }
    for (const [kind, list] of Object.entries(stored.toxics ?? {})) {
      problems.push(...this.#toxics.checkList(kind, list, pointTo('/toxics', kind)));
    }
    problems.push(...(this.incidents?.check(stored.incidents) ?? []));
    const unsound = new Set<number>();
    for (const [index, patch] of (stored.patches ?? []).entries()) {
      const found = checkPatch(patch);
      const before = problems.length;
      // Of very many patches most have no problem: their places are made for those that have one.
      for (const { path, message } of found)
        problems.push({ path: pointTo('/patches', index) + path, message });
      if (patch.protocol !== undefined && !this.#mocks.has(patch.protocol)) {
        problems.push({
          path: pointTo(pointTo('/patches', index), 'protocol'),
          message: `protocol "${patch.protocol}" is not installed`,
        });
      }
      if (problems.length > before) unsound.add(index);
      if (index % STEP === 0) yield;
    }
    // What is wrong with a patch by itself would only be said again of it and its mock.
    for (const problem of yield* this.#fits.problemSteps(stored, (index) => !unsound.has(index)))
      problems.push(problem);
    refuse(problems);
    return stored;
  }

  /** What is wrong with the form of a scenario; of many patches a part at a time is looked at. */
  *#formSteps(scenario: Readonly<Record<string, unknown>>): Generator<undefined, Problem[]> {
    const { patches } = scenario;
    if (!Array.isArray(patches) || patches.length <= STEP) return this.#validator.check(scenario);
    const problems = this.#validator.check({ ...scenario, patches: [] });
    for (let at = 0; at < patches.length && problems.length < MAX_PROBLEMS; at += STEP) {
      const part = { id: 'part', patches: patches.slice(at, at + STEP) };
      for (const { path, message } of this.#validator.check(part))
        problems.push({
          path: path.replace(/^\/patches\/(\d+)/, (_, index) => `/patches/${Number(index) + at}`),
          message,
        });
      yield;
    }
    return problems;
  }
}

/** @throws BacklotError `invalid` when there are problems */
export function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const where = first.path === '' ? '' : ` ${first.path}`;
  throw invalid(`scenario${where}: ${first.message}`, problems);
}

function newId(): string {
  return `scenario-${randomBytes(4).toString('hex')}`;
}

/** Copies of patches that nobody can change. */
function* copySteps(patches: readonly unknown[]): Generator<undefined, readonly unknown[]> {
  const copies: unknown[] = [];
  for (const [index, patch] of patches.entries()) {
    copies.push(frozenCopy(patch));
    if (index % STEP === 0) yield;
  }
  return Object.freeze(copies);
}
