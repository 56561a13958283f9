import type { StoredFault } from './given.js';
import type { StoredToxic } from './toxics.js';

/** What a trouble comes from: who set it directly, a scenario that is active, or an incident that runs. */
export type TroubleSource = 'set' | 'scenario' | 'incident';

/** A fault or a toxic of a kind, with what it comes from. */
export interface Trouble {
  readonly protocol: string;
  readonly source: TroubleSource;
  /** The id of the scenario, or the name of the incident; absent for what was set directly. */
  readonly id?: string;
  /**
   * Whether it acts: the fault of an incident takes the place of all others of its kind. Of several faults that act, the later
   * ones lie over the earlier ones, field by field.
   */
  readonly in_force: boolean;
  /** Exactly one of `fault` and `toxic` is there. */
  readonly fault?: StoredFault;
  readonly toxic?: StoredToxic;
}
