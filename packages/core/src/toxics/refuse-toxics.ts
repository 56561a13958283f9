import type { KindHost } from '../host/kind-host.js';
import type { ScenarioCollection } from '../contract/scenario.js';
import { invalid } from '../errors.js';

/**
 * Notes which kinds take no toxics; their services have been made, and have said so by not following them.
 *
 * @throws BacklotError `invalid` when the configuration gives some to such a kind, itself or by a scenario
 */
export function refuseToxics(kinds: readonly KindHost[], scenarios: ScenarioCollection): void {
  for (const { kind, giver, toxics } of kinds) {
    if (giver !== undefined)
      toxics.refusal = `${kind} shares the listener of ${giver.kind}: toxics for it are set there`;
    else if (!toxics.isFollowed) toxics.refusal = `the service of ${kind} takes no toxics`;
    if (toxics.refusal === undefined) continue;
    if (!toxics.isEmpty) throw invalid(`/settings/${kind}/toxics: ${toxics.refusal}`);
    for (const { id, toxics: own = {}, faults = {} } of scenarios.list()) {
      if (Object.hasOwn(own, kind)) throw invalid(`scenario "${id}" /toxics/${kind}: ${toxics.refusal}`);
      if (Object.hasOwn(faults, kind) && faults[kind]?.toxics !== undefined)
        throw invalid(`scenario "${id}" /faults/${kind}/toxics: ${toxics.refusal}`);
    }
  }
}
