import type { HostOptions } from '../contract/host.js';
import type { Reconfigured } from '../contract/reconfigured.js';
import type { KindHost } from './kind-host.js';
import { serviceSettings } from './read-settings.js';
import { blockOf, type Reconfiguration } from './reconfiguration.js';
import { asTheyAre, restartKinds, type KindChange } from './restart-kinds.js';

/** The services that are started, ended and restarted. */
export interface PlannedServices {
  readonly services: Reconfigured['services'];
  readonly hasNewRoutes: boolean;
  readonly changes: readonly KindChange[];
  /** Puts the kinds back that were manifests. */
  readonly withdraw: () => void;
}

/** Works out which services have other settings, and puts kinds in place that were manifests; nothing is started. */
export function planServices(work: Reconfiguration): PlannedServices {
  const { host, next, before, after } = work;
  const manifests: KindHost[] = [];
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
      manifests.push(kind);
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
    const other = nextOf.get(kind.kind) ?? { enabled: false, config: kind.config, contract: undefined };
    const { enabled, config, contract } = other;
    return { kind, next: { enabled, config, contract }, giver: giverOf(kind) };
  });
  return {
    services: Array.from(did, ([kind, what]) => ({ kind, did: what })),
    hasNewRoutes,
    changes,
    withdraw: () => {
      for (const kind of manifests) work.putBack(kind);
    },
  };
}

/**
 * Starts, ends and restarts services.
 *
 * @returns starts all again as they were
 * @throws when one cannot start, once all run as before
 */
export async function takeServices(
  { host, create }: Reconfiguration,
  { changes }: PlannedServices,
): Promise<() => Promise<void>> {
  if (changes.length === 0) return () => Promise.resolve();
  const parts = { streams: host.streams, create };
  const before = asTheyAre(changes);
  const follow = (): void => {
    for (const { kind } of changes) host.reactions.followAnew(kind.kind);
  };
  await restartKinds(changes, parts);
  follow();
  return async () => {
    await restartKinds(before, parts);
    follow();
  };
}

/** What a service that goes on has read anew. */
interface Renewal {
  readonly kind: string;
  readonly take: () => void;
}

/** Reads again what the services that go on have in files; nothing is taken yet. @throws when it cannot be taken */
export async function prepareRenewals(
  { host }: Reconfiguration,
  { changes }: PlannedServices,
): Promise<readonly Renewal[]> {
  const changed = new Set(changes.map(({ kind }) => kind));
  const renewals: Renewal[] = [];
  for (const kind of host.kinds) {
    if (changed.has(kind) || kind.giver !== undefined) continue;
    const take = await kind.service?.renew?.();
    if (take !== undefined) renewals.push({ kind: kind.kind, take });
  }
  return renewals;
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
