import type { IncidentStage } from '../contract/incident.js';
import { problemsIn, type Problem } from '../errors.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { KindHost } from '../host/kind-host.js';
import { parseDuration } from '../time/duration.js';
import type { ToxicStore } from '../toxics/toxic-store.js';

/** Shorter ones would keep a clock that is advanced by hours busy. */
const SHORTEST = 100;

/** What is wrong with stages that a plugin has made, as from a duration that somebody gave. */
export function checkStages(
  { kind }: KindHost,
  stages: readonly IncidentStage[],
  { faults, toxics: toxicStore }: { readonly faults: FaultStore; readonly toxics: ToxicStore },
): readonly Problem[] {
  const problems: Problem[] = [];
  stages.forEach(({ lasts, fault, toxics = [] }, index) => {
    const at = `/stages/${index}`;
    if (lasts !== undefined) problems.push(...checkLasting(lasts, `${at}/lasts`));
    if (fault !== undefined) problems.push(...faults.check(kind, fault, `${at}/fault`));
    if (toxics.length > 0) problems.push(...toxicStore.checkList(kind, toxics, `${at}/toxics`));
  });
  if (stages.length === 0) problems.push({ path: '/stages', message: 'must not be empty' });
  return problems;
}

function checkLasting(lasts: string, path: string): readonly Problem[] {
  try {
    if (parseDuration(lasts) >= SHORTEST) return [];
    return [{ path, message: `must be at least ${SHORTEST}ms, got "${lasts}"` }];
  } catch (thrown) {
    return problemsIn(thrown, path);
  }
}
