import type { ScenarioPatch } from '../contract/scenario.js';
import type { MockChange } from '../contract/context.js';
import type { Listeners } from '../stores/listeners.js';
import type { Effects, PreparedSwitch } from './effects.js';
import type { Refusal } from './mock-compiler.js';
import type { SlotMap } from './slot-map.js';

/** Prepares mocks of one kind with other patches, and puts all of them into effect at once. */
export class MockSwitches {
  readonly #slots: SlotMap;
  readonly #effects: Effects;
  readonly #listeners: Listeners<[MockChange]>;
  readonly #prepared = new Map<string, PreparedSwitch>();

  constructor(slots: SlotMap, effects: Effects, listeners: Listeners<[MockChange]>) {
    this.#slots = slots;
    this.#effects = effects;
    this.#listeners = listeners;
  }

  has(id: string): boolean {
    return this.#prepared.has(id);
  }

  /**
   * Compiles what a mock will be with these patches.
   *
   * @param mustFit - whether patches that do not fit are problems; else they are skipped
   * @returns the problems; `undefined` when there is none, or no such mock
   */
  prepare(id: string, patches: readonly ScenarioPatch[], mustFit: boolean): Refusal | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    const prepared = this.#effects.prepareSwitch(slot, patches, mustFit);
    if ('problems' in prepared) return prepared;
    this.#prepared.set(id, prepared);
    return undefined;
  }

  commit(): void {
    this.#effects.commitSwitch(this.#prepared.values());
  }

  /** Tells who listens of each mock that was put into effect. */
  *tellSteps(): Generator<undefined, void> {
    if (this.#listeners.isEmpty) return;
    for (const id of this.#prepared.keys()) {
      this.#listeners.tell({ type: 'changed', id });
      yield;
    }
  }

  withdraw(): void {
    this.#effects.withdrawSwitch(this.#prepared.values());
  }
}
