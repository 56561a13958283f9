import type { ScenarioPatch } from '../contract/scenario.js';
import type { Problem } from '../errors.js';
import { runAtOnce } from '../time/slices.js';
import { pointTo } from '../validation/pointer.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';
import { suggest } from '../validation/suggest.js';

/** Beyond so many ids none is suggested: comparing a name with all of them takes time. */
const MAX_COMPARED = 1000;
/** Patches that are gone through before others may be let in. */
const STEP = 256;

/** The mocks of one kind, as far as it matters here. */
interface Mocks {
  has(id: string): boolean;
}

/**
 * The patches that act on nothing, each at `/patches/<n>`: no kind that they are for has a mock with their id. That is
 * no mistake by itself, since the mock may come later. Beyond a hundred they are counted, in a last one at `/patches`.
 */
export function findMissingMocks(
  patches: readonly ScenarioPatch[] | undefined,
  mocks: ReadonlyMap<string, Mocks>,
): Problem[] {
  return runAtOnce(missingMockSteps(patches, mocks));
}

/** As {@link findMissingMocks}, in steps. */
export function* missingMockSteps(
  patches: readonly ScenarioPatch[] = [],
  mocks: ReadonlyMap<string, Mocks>,
): Generator<undefined, Problem[]> {
  const problems: Problem[] = [];
  let more = 0;
  for (const [index, patch] of patches.entries()) {
    if (index % STEP === STEP - 1) yield;
    if (isThere(patch, mocks)) continue;
    if (problems.length < MAX_PROBLEMS)
      problems.push({ path: pointTo('/patches', index), message: describe(patch) });
    else more += 1;
  }
  if (more > 0)
    problems.push({
      path: '/patches',
      message: `${more} more ${more === 1 ? 'patch is' : 'patches are'} for mocks that are not there`,
    });
  return problems;
}

/** What to write in place of an id that no mock has, where one is close; `ids` are those of each kind. */
export function suggestMock(
  { mock_id: written, protocol }: ScenarioPatch,
  ids: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const candidates = protocol === undefined ? [...ids.values()].flat() : (ids.get(protocol) ?? []);
  return candidates.length > MAX_COMPARED ? undefined : suggest(written, candidates);
}

function isThere({ mock_id: id, protocol }: ScenarioPatch, mocks: ReadonlyMap<string, Mocks>): boolean {
  if (protocol !== undefined) return mocks.get(protocol)?.has(id) === true;
  for (const store of mocks.values()) if (store.has(id)) return true;
  return false;
}

function describe({ mock_id: id, protocol }: ScenarioPatch): string {
  return `there is no mock "${id}"${protocol === undefined ? '' : ` of ${protocol}`}; the patch changes nothing until there is one`;
}
