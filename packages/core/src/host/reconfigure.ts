import type { HostOptions } from '../contract/host.js';
import type { Reconfigured, ReconfiguredPart } from '../contract/reconfigured.js';
import type { MockReplacement } from '../mocks/mock-replacement.js';
import { listSlots } from '../mocks/mock-replacement.js';
import type { SavedReactions } from '../reactions/reaction-store.js';
import type { SavedScenarios } from '../scenarios/scenario-store.js';
import type { StoredScenario } from '../contract/scenario.js';
import { listItems } from '../stores/item-store.js';
import type { BacklotHost, Saved } from './host.js';
import type { KindHost, SavedKind } from './kind-host.js';
import { idsIn, pairItems, type ListedItem } from './pair-items.js';
import { serviceSettings } from './read-settings.js';
import { restartKinds, type KindChange } from './restart-kinds.js';

/** A host, and another one that was made of the options that it takes and does not run. */
export interface Reconfiguration {
  readonly host: BacklotHost;
  readonly next: BacklotHost;
  readonly before: HostOptions;
  readonly after: HostOptions;
  /** What a reset puts back now. */
  readonly startup: Saved;
  /** What a reset of the other one puts back. */
  readonly nextStartup: Saved;
  readonly create: (kind: KindHost) => Promise<void>;
  /** Puts a kind in the place of one that was a manifest. */
  adopt(kind: KindHost): KindHost;
}

/** What {@link takeServices} did. */
interface TakenServices {
  readonly services: Reconfigured['services'];
  readonly hasNewRoutes: boolean;
}

/** Starts, ends and restarts the services whose settings are others. @throws when one cannot start, once all run as before */
export async function takeServices(work: Reconfiguration): Promise<TakenServices> {
  const { host, next, before, after, create } = work;
  const nextOf = new Map(next.kinds.map((kind) => [kind.kind, kind]));
  const changed = new Set<KindHost>();
  const did = new Map<string, 'started' | 'stopped' | 'restarted'>();
  let hasNewRoutes = false;
  for (const kind of [...host.kinds]) {
    const other = nextOf.get(kind.kind);
    const enabled = other?.enabled === true;
    if (!kind.enabled && !enabled) continue;
    if (kind.enabled && enabled && !differs(kind, other, before, after)) continue;
    did.set(kind.kind, !kind.enabled ? 'started' : enabled ? 'restarted' : 'stopped');
    if (!kind.isOfManifest || other === undefined) changed.add(kind);
    else {
      changed.add(work.adopt(other));
      hasNewRoutes = true;
    }
  }
  const giverOf = (kind: KindHost): KindHost | undefined => {
    const giver = nextOf.get(kind.kind)?.giver;
    return giver === undefined ? undefined : host.kind(giver.kind);
  };
  // Those that share a listener are admitted together.
  for (let count = -1; count !== changed.size;) {
    count = changed.size;
    for (const kind of host.kinds) {
      const group = [kind.giver, giverOf(kind)].filter((giver) => giver !== undefined);
      if (group.length === 0 || ![kind, ...group].some((each) => changed.has(each))) continue;
      for (const each of [kind, ...group]) {
        if (!each.enabled && nextOf.get(each.kind)?.enabled !== true) continue;
        if (!did.has(each.kind)) did.set(each.kind, 'restarted');
        changed.add(each);
      }
    }
  }
  const changes = [...changed].map((kind): KindChange => {
    const { enabled, config } = nextOf.get(kind.kind) ?? { enabled: false, config: kind.config };
    return { kind, next: { enabled, config }, giver: giverOf(kind) };
  });
  if (changes.length > 0) await restartKinds(changes, { streams: host.streams, create });
  for (const { kind } of changes) host.reactions.followAnew(kind.kind);
  return { services: Array.from(did, ([kind, what]) => ({ kind, did: what })), hasNewRoutes };
}

function differs(kind: KindHost, other: KindHost, before: HostOptions, after: HostOptions): boolean {
  return (
    kind.config.host !== other.config.host ||
    kind.config.port !== other.config.port ||
    kind.giver?.kind !== other.giver?.kind ||
    serviceSettings(kind.protocol, blockOf(before, kind.kind)) !==
      serviceSettings(kind.protocol, blockOf(after, kind.kind))
  );
}

function blockOf({ settings = {} }: HostOptions, kind: string): unknown {
  return Object.hasOwn(settings, kind) ? settings[kind] : undefined;
}

/** What {@link takeData} did, and what a reset puts back from now on. */
interface TakenData {
  readonly parts: readonly ReconfiguredPart[];
  readonly startup: Saved;
}

/** Takes scenarios, mocks, items and state, in one step. */
export function takeData(work: Reconfiguration): TakenData {
  const { host, before, after, startup, nextStartup, next } = work;
  const parts: ReconfiguredPart[] = [];
  const scenarios = takeScenarios(work, parts);
  const nextIndex = new Map(next.kinds.map(({ kind }, index) => [kind, index]));
  const kinds = host.kinds.map((kind, index): SavedKind => {
    const old = startup.kinds[index] ?? kind.save();
    const given = nextStartup.kinds[nextIndex.get(kind.kind) ?? -1];
    if (given === undefined) return old;
    const ids = { before: idsIn(blockOf(before, kind.kind)), after: idsIn(blockOf(after, kind.kind)) };
    const replaced = kind.mocks.replaceGiven(
      pairItems(listSlots(old.mocks), listSlots(given.mocks), ids),
      scenarios.areOthers,
    );
    note(parts, 'mocks', kind.kind, replaced);
    const items = given.items.map(([name, list]) => {
      const was = old.items.find(([other]) => other === name)?.[1] ?? [];
      const store = kind.itemLists.get(name);
      const taken = store?.replaceGiven(pairItems(listItems(was), listItems(list), ids));
      if (taken !== undefined) note(parts, 'items', `${kind.kind}/${name}`, taken);
      return [name, taken?.startup ?? list] as const;
    });
    return {
      ...old,
      mocks: { slots: startupSlots(replaced, old), calls: [], nextPosition: replaced.live.length },
      items,
      kept: kind.service === undefined ? old.kept : keptOf(kind, old),
    };
  });
  takeState(work, parts);
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
  { host, before, after, startup, nextStartup }: Reconfiguration,
  parts: ReconfiguredPart[],
): { readonly startup: SavedScenarios; readonly areOthers: boolean } {
  const old = startup.scenarios;
  const given = nextStartup.scenarios;
  const { pairs, gone } = pairItems(listScenarios(old.scenarios), listScenarios(given.scenarios), {
    before: idsIn(before.scenarios),
    after: idsIn(after.scenarios),
  });
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
    host.scenarios.restore({ scenarios: all, active: [...active].filter((id) => ids.has(id)) });
    host.toxics.refreshAll();
  }
  return { startup: { scenarios, active: [...startupActive] }, areOthers };
}

function listScenarios(
  scenarios: readonly StoredScenario[],
): readonly (ListedItem & { readonly scenario: StoredScenario })[] {
  return scenarios.map((scenario) => ({ id: scenario.id, value: scenario, scenario }));
}

function takeState({ host, before, after }: Reconfiguration, parts: ReconfiguredPart[]): void {
  const was = new Map(Object.entries(before.state ?? {}));
  const is = new Map(Object.entries(after.state ?? {}));
  const set = [...is].filter(([key, value]) => was.get(key) !== value);
  const removed = [...was.keys()].filter((key) => !is.has(key) && host.state.get(key) !== undefined);
  const isThere = (key: string): boolean => host.state.get(key) !== undefined;
  const changed = set.map(([key]) => key).filter(isThere);
  const added = set.map(([key]) => key).filter((key) => !isThere(key));
  if (set.length > 0) host.state.setAll(Object.fromEntries(set));
  for (const key of removed) host.state.delete(key);
  note(parts, 'state', undefined, { added, changed, removed });
}

/** Takes collections that are declared otherwise, rows included. */
export async function takeCollections({
  host,
  before,
  after,
}: Reconfiguration): Promise<readonly ReconfiguredPart[]> {
  const was = before.collections ?? {};
  const is = after.collections ?? {};
  const added: string[] = [];
  const changed: string[] = [];
  for (const [name, definition] of Object.entries(is)) {
    if (Object.hasOwn(was, name) && JSON.stringify(was[name]) === JSON.stringify(definition)) continue;
    (host.collections.has(name) ? changed : added).push(name);
    await host.collections.define(name, definition);
  }
  const removed = Object.keys(was).filter((name) => !Object.hasOwn(is, name) && host.collections.has(name));
  for (const name of removed) host.collections.remove(name);
  const parts: ReconfiguredPart[] = [];
  note(parts, 'collections', undefined, { added, changed, removed });
  return parts;
}

/** Takes reactions that are declared otherwise. */
export async function takeReactions(
  { host, before, after, startup, nextStartup }: Reconfiguration,
  parts: ReconfiguredPart[],
): Promise<SavedReactions> {
  const list = (saved: SavedReactions): readonly (ListedItem & SavedReactions[number])[] =>
    saved.map((each) => ({ ...each, id: each.reaction.stored.id, value: each.reaction.stored }));
  const { pairs, gone } = pairItems(list(startup.reactions), list(nextStartup.reactions), {
    before: idsIn(before.reactions),
    after: idsIn(after.reactions),
  });
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const has = (id: string): boolean => host.reactions.list().some((each) => each.id === id);
  for (const { id } of gone) {
    if (!has(id)) continue;
    host.reactions.remove(id);
    removed.push(id);
  }
  const put: SavedReactions[number][] = [];
  for (const { before: was, after: is, isSame } of pairs) {
    if (was !== undefined && isSame) {
      put.push({ reaction: was.reaction, runs: was.runs });
      continue;
    }
    const { stored } = is.reaction;
    const isThere = has(stored.id);
    await (isThere ? host.reactions.replace(stored.id, stored) : host.reactions.create(stored));
    (isThere ? changed : added).push(stored.id);
    const made = host.reactions.save().find(({ reaction }) => reaction.stored.id === stored.id);
    if (made !== undefined) put.push({ reaction: made.reaction, runs: 0 });
  }
  note(parts, 'reactions', undefined, { added, changed, removed });
  return put;
}

function note(
  parts: ReconfiguredPart[],
  part: ReconfiguredPart['part'],
  name: string | undefined,
  { added, changed, removed }: Pick<ReconfiguredPart, 'added' | 'changed' | 'removed'>,
): void {
  if (added.length + changed.length + removed.length === 0) return;
  parts.push({ part, ...(name === undefined ? {} : { name }), added, changed, removed });
}
