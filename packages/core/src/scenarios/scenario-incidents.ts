import type { Json } from '../contract/given.js';
import type { StoredScenario } from '../contract/scenario.js';
import { messageOf, type Problem } from '../errors.js';
import type { IncidentStore } from '../incidents/incident-store.js';
import { pointTo } from '../validation/pointer.js';

type Named = Pick<StoredScenario, 'id' | 'incidents'>;

/** Begins the incidents that scenarios name when these become active, and ends them with the last that names them. */
export class ScenarioIncidents {
  readonly #store: IncidentStore;
  readonly #warn: (text: string) => void;
  /** Whether kinds are there that an incident may befall. */
  #isLive = false;
  /** All that was begun or ended until now. */
  settled: Promise<unknown> = Promise.resolve();

  constructor(store: IncidentStore, warn: (text: string) => void) {
    this.#store = store;
    this.#warn = warn;
  }

  /** Problems of the incidents that a scenario names. */
  check(incidents: Readonly<Record<string, Json>> = {}): readonly Problem[] {
    return Object.entries(incidents).flatMap(([name, fields]) =>
      this.#store
        .problemsWith(name, fields)
        .map(({ path, message }) => ({ path: pointTo('/incidents', name) + path, message })),
    );
  }

  /** Begins those of the scenarios that are active at the start, after a reset, and with a snapshot that was restored. */
  begin(active: readonly Named[]): Promise<unknown> {
    this.#isLive = true;
    this.#startAll(active);
    return this.settled;
  }

  /** @param before - the scenarios that were active. @param after - those that are active now */
  change(before: readonly Named[], after: readonly Named[]): void {
    if (!this.#isLive) return;
    const kept = new Set(after.flatMap(({ incidents = {} }) => Object.keys(incidents)));
    for (const { incidents = {} } of before)
      for (const name of Object.keys(incidents)) if (!kept.has(name)) this.#store.stopOf(name, this);
    this.#startAll(after.filter((scenario) => !before.includes(scenario)));
  }

  #startAll(scenarios: readonly Named[]): void {
    const starts = scenarios.flatMap((scenario) => this.#start(scenario));
    if (starts.length > 0) this.settled = Promise.all([this.settled, ...starts]).then(() => undefined);
  }

  #start({ id, incidents = {} }: Named): Promise<unknown>[] {
    return Object.entries(incidents).map(([name, fields]) =>
      this.#store
        .start(name, fields, this)
        .catch((thrown: unknown) => this.#warn(`scenario "${id}": ${name}: ${messageOf(thrown)}`)),
    );
  }
}
