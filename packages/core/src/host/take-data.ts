import type { HostOptions } from '../contract/host.js';
import type { ReconfiguredPart } from '../contract/reconfigured.js';
import type { StoredScenario } from '../contract/scenario.js';
import { listSlots, type GivenMocks, type MockReplacement } from '../mocks/mock-replacement.js';
import type { PreparedGiven } from '../mocks/mock-store.js';
import type { SavedScenarios } from '../scenarios/scenario-store.js';
import { listItems, type GivenItems } from '../stores/item-store.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import type { Saved } from './saved.js';
import type { KindHost, SavedKind } from './kind-host.js';
import { idsOfBoth, pairItemSteps, type ListedItem, type PairedItems } from './pair-items.js';
import { blockOf, note, type Changes, type Reconfiguration } from './reconfiguration.js';

/** What was made ready of a kind. */
interface PreparedKindData {
  readonly kind: KindHost;
  /** What a reset puts back now. */
  readonly old: SavedKind;
  /** What it is to put back then; absent for a kind that the other host does not have. */
  readonly given: SavedKind | undefined;
  readonly pairs: GivenMocks;
  readonly items: readonly (readonly [name: string, pairs: GivenItems])[];
  mocks: PreparedGiven;
}

/** Everything that a host takes in one step, made ready. */
interface PreparedData {
  readonly kinds: readonly PreparedKindData[];
  readonly scenarios: PairedItems<ListedScenario>;
}

/** How often mocks are made ready anew that have changed meanwhile, before it is done in the step in which they are taken. */
const MOST_ATTEMPTS = 3;

/** Makes ready, in slices, what {@link takeData} takes. Nobody sees anything of it. */
export async function prepareData(work: Reconfiguration): Promise<PreparedData> {
  const { host, before, after, startup, nextStartup, next } = work;
  const kinds: PreparedKindData[] = [];
  try {
    for (const [index, kind] of host.kinds.entries()) {
      const old = startup.kinds[index] ?? kind.save();
      const given = nextStartup.kinds[next.kinds.findIndex((each) => each.kind === kind.kind)];
      kinds.push(await runInSlices(prepareKindSteps(kind, old, given, before, after)));
    }
    const ids = await runInSlices(idsOfBoth(before.scenarios, after.scenarios));
    const scenarios = await runInSlices(
      pairItemSteps(
        listScenarios(startup.scenarios.scenarios),
        listScenarios(nextStartup.scenarios.scenarios),
        ids,
      ),
    );
    return { kinds, scenarios };
  } catch (thrown) {
    withdrawKinds(kinds);
    throw thrown;
  }
}

/** Makes anew what has changed since it was made ready: after this, all is current unless it changes all the time. */
export async function renewData({ kinds }: PreparedData): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const stale = kinds.filter(({ kind, mocks }) => !kind.mocks.isCurrent(mocks));
    if (stale.length === 0) return;
    for (const each of stale) {
      withdrawKinds([each]);
      each.mocks = await runInSlices(each.kind.mocks.prepareGiven(each.pairs));
    }
  }
}

/** Forgets what was made ready, since it is not taken. */
export function withdrawData({ kinds }: PreparedData): void {
  withdrawKinds(kinds);
}

function withdrawKinds(kinds: readonly PreparedKindData[]): void {
  for (const { kind, mocks } of kinds) if (mocks.next !== undefined) kind.mocks.withdraw(mocks.next);
}

function* prepareKindSteps(
  kind: KindHost,
  old: SavedKind,
  given: SavedKind | undefined,
  before: HostOptions,
  after: HostOptions,
): Generator<undefined, PreparedKindData> {
  const ids = yield* idsOfBoth(blockOf(before, kind.kind), blockOf(after, kind.kind));
  const slots = listSlots(old.mocks);
  // What the other host knows nothing of stays as it is.
  const pairs = yield* pairItemSteps(slots, given === undefined ? slots : listSlots(given.mocks), ids);
  const items: (readonly [string, GivenItems])[] = [];
  for (const [name, list] of given?.items ?? []) {
    const was = old.items.find(([other]) => other === name)?.[1] ?? [];
    items.push([name, yield* pairItemSteps(listItems(was), listItems(list), ids)]);
  }
  const mocks = yield* kind.mocks.prepareGiven(pairs);
  return { kind, old, given, pairs, items, mocks };
}

/** What {@link takeData} did, and what a reset puts back from now on. */
interface TakenData {
  readonly parts: readonly ReconfiguredPart[];
  readonly startup: Saved;
}

/**
 * Takes state, scenarios, mocks and items, in one step.
 *
 * @throws BacklotError `too_large` when there is no room for the state; nothing is taken then
 */
export function takeData(work: Reconfiguration, prepared: PreparedData): TakenData {
  const { host, startup, nextStartup, next } = work;
  const parts: ReconfiguredPart[] = [];
  const state = takeState(work);
  const scenarios = takeScenarios(work, prepared.scenarios, parts);
  const kinds = prepared.kinds.map(({ kind, old, given, pairs, items, mocks }): SavedKind => {
    if (given === undefined) return old;
    const store = kind.mocks;
    const current = store.isCurrent(mocks) ? mocks : renewedNow(kind, pairs, mocks);
    store.takeGiven(current, scenarios.areOthers);
    const { replacement } = current;
    note(parts, 'mocks', kind.kind, replacement);
    const takenItems = items.map(([name, list]) => {
      const taken = kind.itemLists.get(name)?.replaceGiven(list);
      if (taken !== undefined) note(parts, 'items', `${kind.kind}/${name}`, taken);
      return [name, taken?.startup ?? given.items.find(([other]) => other === name)?.[1] ?? []] as const;
    });
    return {
      ...old,
      mocks: { slots: startupSlots(replacement, old), calls: [], nextPosition: replacement.live.length },
      items: takenItems,
      kept: kind.service === undefined ? old.kept : keptOf(kind, old),
    };
  });
  note(parts, 'state', undefined, state);
  const nextIndex = new Map(next.kinds.map(({ kind }, index) => [kind, index]));
  const toxics = host.kinds.map((kind, index) => {
    const nextToxics = nextStartup.toxics[nextIndex.get(kind.kind) ?? -1] ?? [];
    if (JSON.stringify(startup.toxics[index] ?? []) !== JSON.stringify(nextToxics))
      kind.toxics.restore(nextToxics, host.clock.now());
    return nextToxics;
  });
  return {
    parts,
    startup: {
      ...startup,
      kinds,
      toxics,
      scenarios: scenarios.startup,
      state: nextStartup.state,
      collections: nextStartup.collections,
    },
  };
}

/** What changes all the time is made ready in the step in which it is taken. */
function renewedNow(kind: KindHost, pairs: GivenMocks, { next }: PreparedGiven): PreparedGiven {
  if (next !== undefined) kind.mocks.withdraw(next);
  return runAtOnce(kind.mocks.prepareGiven(pairs));
}

/** The very slots that a reset puts back already, where they are the same. */
function startupSlots(
  { startup }: MockReplacement,
  { mocks: { slots } }: SavedKind,
): MockReplacement['startup'] {
  const isSame = startup.length === slots.length && startup.every((slot, index) => slot === slots[index]);
  return isSame ? slots : startup;
}

/** What a service kept at first: of one that was made anew what it had then. */
function keptOf(kind: KindHost, old: SavedKind): SavedKind['kept'] {
  const first = new Map(kind.firstKept);
  return first.size === 0 ? old.kept : kind.firstKept;
}

function takeScenarios(
  { host, startup, nextStartup }: Reconfiguration,
  { pairs, gone }: PairedItems<ListedScenario>,
  parts: ReconfiguredPart[],
): { readonly startup: SavedScenarios; readonly areOthers: boolean } {
  const old = startup.scenarios;
  const given = nextStartup.scenarios;
  const now = host.scenarios.save();
  const left = new Map(now.scenarios.map((scenario) => [scenario.id, scenario]));
  const active = new Set(now.active);
  const startupActive = new Set<string>();
  const scenarios: StoredScenario[] = [];
  const live: StoredScenario[] = [];
  const added: string[] = [];
  const changed: string[] = [];
  let isSwitched = false;
  for (const { before: was, after: is, isSame } of pairs) {
    const id = was?.id ?? is.id;
    const there = left.get(id);
    left.delete(id);
    const stored = was !== undefined && isSame ? was.scenario : is.scenario;
    scenarios.push(stored);
    if (was === undefined || !isSame) {
      live.push(stored);
      (there === undefined ? added : changed).push(id);
    } else if (there !== undefined) live.push(there);
    const wasActive = was !== undefined && old.active.includes(was.id);
    const isActive = given.active.includes(is.id);
    if (isActive) startupActive.add(id);
    if (wasActive === isActive) continue;
    isSwitched = true;
    if (isActive) active.add(id);
    else active.delete(id);
    if (isSame) changed.push(id);
  }
  const removed = gone.map(({ id }) => id).filter((id) => left.delete(id));
  for (const id of removed) active.delete(id);
  note(parts, 'scenarios', undefined, { added, changed, removed });
  const areOthers = isSwitched || added.length + changed.length + removed.length > 0;
  if (areOthers) {
    const all = [...live, ...left.values()];
    const ids = new Set(all.map(({ id }) => id));
    host.scenarios.replaceAll({ scenarios: all, active: [...active].filter((id) => ids.has(id)) });
    host.toxics.refreshAll();
  }
  return { startup: { scenarios, active: [...startupActive] }, areOthers };
}

interface ListedScenario extends ListedItem {
  readonly scenario: StoredScenario;
}

function listScenarios(scenarios: readonly StoredScenario[]): readonly ListedScenario[] {
  return scenarios.map((scenario) => ({ id: scenario.id, value: scenario, scenario }));
}

function takeState({ host, before, after }: Reconfiguration): Changes {
  const was = new Map(Object.entries(before.state ?? {}));
  const is = new Map(Object.entries(after.state ?? {}));
  const set = [...is].filter(([key, value]) => was.get(key) !== value);
  const removed = [...was.keys()].filter((key) => !is.has(key) && host.state.get(key) !== undefined);
  const isThere = (key: string): boolean => host.state.get(key) !== undefined;
  const changed = set.map(([key]) => key).filter(isThere);
  const added = set.map(([key]) => key).filter((key) => !isThere(key));
  if (set.length > 0) host.state.setAll(Object.fromEntries(set));
  for (const key of removed) host.state.delete(key);
  return { added, changed, removed };
}
