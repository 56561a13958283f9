import type { Problem } from '../errors.js';
import type { Json, StoredFault } from './given.js';
import type { CoreFault } from './shape.js';

/** One change of a scenario to one mock. */
export interface ScenarioPatch {
  readonly mock_id: string;
  readonly protocol?: string;
  readonly disabled?: boolean;
  readonly delay?: string;
  readonly status?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly merge?: Json;
}

/** A scenario as it is stored. */
export interface StoredScenario {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly patches?: readonly ScenarioPatch[];
  readonly faults?: Readonly<Record<string, StoredFault>>;
}

/** A scenario as it is given. */
export type NewScenario = Omit<StoredScenario, 'id' | 'faults'> & {
  /** Made up when absent. */
  readonly id?: string;
  readonly faults?: Readonly<Record<string, CoreFault | Json>>;
  /** In the settings: active from the start. */
  readonly active?: boolean;
};

/** A scenario as it is answered. */
export type ScenarioView = StoredScenario & {
  readonly active: boolean;
  /** The patches that do not fit their mock, or whose mock is not there. */
  readonly problems?: readonly Problem[];
};

/** The scenarios. */
export interface ScenarioCollection {
  list(): readonly ScenarioView[];
  get(id: string): ScenarioView;
  create(scenario: NewScenario): ScenarioView;
  replace(id: string, scenario: NewScenario): ScenarioView;
  remove(id: string): void;
  /** Idempotent; answers the ids of all active ones in order of activation. */
  activate(id: string): readonly string[];
  deactivate(id: string): readonly string[];
  active(): readonly ScenarioView[];
}
