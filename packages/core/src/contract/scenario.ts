import type { Problem } from '../errors.js';
import type { Json, StoredFault } from './given.js';
import type { DelaySource } from '../time/delay-schema.js';
import type { CoreFault } from './shape.js';
import type { NewToxic } from './toxics.js';

/** One change of a scenario to one mock; only the fields that are given change something. */
export interface ScenarioPatch {
  /** The mock; it need not exist yet. */
  readonly mock_id: string;
  /** The kind of the mock; when absent, the mock with that id of each kind. */
  readonly protocol?: string;
  /** True: the mock is as if absent. */
  readonly disabled?: boolean;
  /** The new delay, such as `250ms`, or how it is rolled. */
  readonly delay?: DelaySource;
  /** The new status, at the places that the kind's `patchTargets` name. */
  readonly status?: unknown;
  /** Headers laid over those of the response, at such places. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The new body, at such places. */
  readonly body?: unknown;
  /** A JSON merge patch (RFC 7396) on the whole mock. */
  readonly merge?: Json;
}

/** A scenario as it is stored. */
export interface StoredScenario {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly patches?: readonly ScenarioPatch[];
  readonly faults?: Readonly<Record<string, StoredFault>>;
  /** What is done to the bytes of connections, or to datagrams, by kind. */
  readonly toxics?: Readonly<Record<string, readonly NewToxic[]>>;
  /** What incidents begin with it, by name. */
  readonly incidents?: Readonly<Record<string, Json>>;
}

/** A scenario as it is given. */
export type NewScenario = Omit<StoredScenario, 'id' | 'faults'> & {
  /** An id is made up when absent. */
  readonly id?: string;
  readonly faults?: Readonly<Record<string, CoreFault | Json>>;
  /** In the settings of a host: whether it is active from the start. Ignored elsewhere. */
  readonly active?: boolean;
};

/** A scenario as it is shown. */
export type ScenarioView = StoredScenario & {
  readonly active: boolean;
  /** The patches that do not fit their mock, or whose mock is not there. */
  readonly problems?: readonly Problem[];
};

/**
 * The scenarios of a host: named sets of changes to mocks and of faults. Methods that take an id throw `not_found` when
 * there is none.
 */
export interface ScenarioCollection {
  list(): readonly ScenarioView[];
  get(id: string): ScenarioView;
  /** Creates a scenario, which is not active. @throws BacklotError `invalid`, `conflict` when the id exists */
  create(scenario: NewScenario): ScenarioView;
  /** Replaces a scenario; when it is active, the new one takes effect at once. @throws BacklotError `invalid` */
  replace(id: string, scenario: NewScenario): ScenarioView;
  /** Removes a scenario, after deactivating it when it is active. */
  remove(id: string): void;
  /**
   * Activates a scenario; does nothing when it is active.
   *
   * @returns the ids of all active ones in order of activation
   */
  activate(id: string): readonly string[];
  /**
   * Deactivates a scenario; does nothing when it is not active.
   *
   * @returns the ids of all active ones in order of activation
   */
  deactivate(id: string): readonly string[];
  /** The active scenarios in order of activation. */
  active(): readonly ScenarioView[];
  /** The same for who can wait: patches of many mocks are compiled in slices, between which other work is done. */
  readonly inSlices: SlicedScenarios;
}

/**
 * What {@link ScenarioCollection} does, in slices. A scenario takes effect as a whole in the end; until then everything
 * is as it was. Changes are made one after the other.
 */
export interface SlicedScenarios {
  list(): Promise<readonly ScenarioView[]>;
  get(id: string): Promise<ScenarioView>;
  create(scenario: NewScenario): Promise<ScenarioView>;
  replace(id: string, scenario: NewScenario): Promise<ScenarioView>;
  remove(id: string): Promise<void>;
  activate(id: string): Promise<readonly string[]>;
  deactivate(id: string): Promise<readonly string[]>;
  active(): Promise<readonly ScenarioView[]>;
}
