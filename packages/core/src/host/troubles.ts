import type { StoredFault } from '../contract/given.js';
import type { StoredToxic } from '../contract/toxics.js';
import type { Trouble, TroubleSource } from '../contract/trouble.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { IncidentStore } from '../incidents/incident-store.js';
import type { ScenarioStore } from '../scenarios/scenario-store.js';
import type { ToxicStore } from '../toxics/toxic-store.js';

interface Parts {
  readonly faults: FaultStore;
  readonly toxics: ToxicStore;
  readonly scenarios: ScenarioStore;
  readonly incidents: IncidentStore;
}

/** What is wrong with the kinds at the same time, from one source. */
interface Layer {
  readonly source: TroubleSource;
  readonly id?: string;
  readonly faults: Readonly<Record<string, StoredFault>>;
  readonly toxics: Readonly<Record<string, readonly StoredToxic[]>>;
}

/** All faults and toxics in the order in which they take effect, each with its source. */
export function troublesOf({ faults, toxics, scenarios, incidents }: Parts): readonly Trouble[] {
  const ofScenarios = scenarios.activeIds.map((id): Layer => {
    const { faults: those = {}, toxics: lists = {} } = scenarios.scenarioOf(id);
    const completed = Object.entries(lists).map(([kind, list]) => [kind, toxics.completed(kind, list)]);
    return {
      source: 'scenario',
      id,
      faults: those,
      toxics: Object.fromEntries(completed) as Layer['toxics'],
    };
  });
  const ofIncidents = incidents.stages().map(({ name, kind, stage }): Layer => ({
    ...{ source: 'incident', id: name },
    faults: stage.fault === undefined ? {} : { [kind]: stage.fault },
    toxics: { [kind]: toxics.completed(kind, stage.toxics ?? []) },
  }));
  const layers: Layer[] = [
    { source: 'set', faults: faults.all(), toxics: toxics.all() },
    ...ofScenarios,
    ...ofIncidents,
  ];
  // The fault of the incident that began last is the only one of its kind that acts.
  const ruling = new Map<string, StoredFault>();
  for (const { faults: those } of ofIncidents)
    for (const [kind, fault] of Object.entries(those)) ruling.set(kind, fault);
  return layers.flatMap(({ source, id, faults: those, toxics: lists }) => {
    const from = id === undefined ? { source } : { source, id };
    return [
      ...Object.entries(those).map(([protocol, fault]): Trouble => {
        const inForce = (ruling.get(protocol) ?? fault) === fault;
        return { protocol, ...from, in_force: inForce, fault };
      }),
      ...Object.entries(lists).flatMap(([protocol, list]) =>
        list.map((toxic): Trouble => ({ protocol, ...from, in_force: true, toxic })),
      ),
    ];
  });
}
