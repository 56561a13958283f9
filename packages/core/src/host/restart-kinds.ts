import type { StreamStore } from '../stores/stream-store.js';
import type { KindHost } from './kind-host.js';
import { admitGuests } from './sharing.js';
import type { SavedParts } from './snapshot-parts.js';
import { startKinds } from './start-kinds.js';
import { stopServices } from './stop-services.js';

/** How long answers that have begun may take, in milliseconds of real time. */
const GRACE = 1_000;

/** A kind whose service is ended or made anew. */
export interface KindChange {
  readonly kind: KindHost;
  /** The settings that it takes. */
  readonly next: Pick<KindHost, 'enabled' | 'config' | 'contract'>;
  /** The kind whose listener it shares then. */
  readonly giver: KindHost | undefined;
}

/** What restarting needs of a host. */
export interface RestartParts {
  readonly streams: StreamStore;
  readonly create: (kind: KindHost) => Promise<void>;
}

/**
 * Ends the services of kinds, and starts those that are enabled then, with what they kept before. When one cannot start, all are
 * started again as they were.
 *
 * @throws as `startKinds`, once they run as before
 */
export async function restartKinds(changes: readonly KindChange[], parts: RestartParts): Promise<void> {
  const before = asTheyAre(changes);
  const kept = new Map<KindHost, SavedParts>();
  for (const { kind } of changes) if (kind.service !== undefined) kept.set(kind, kind.snapshotParts.save());
  await endAll(changes, parts, GRACE);
  try {
    await startAll(changes, parts, kept);
  } catch (thrown) {
    await endAll(changes, parts, 0);
    await startAll(before, parts, kept);
    throw thrown;
  }
}

/** What makes the kinds of changes again what they are now. */
export function asTheyAre(changes: readonly KindChange[]): readonly KindChange[] {
  return changes.map(({ kind }) => {
    const { enabled, config, contract, giver } = kind;
    return { kind, next: { enabled, config, contract }, giver };
  });
}

async function endAll(
  changes: readonly KindChange[],
  { streams }: RestartParts,
  grace: number,
): Promise<void> {
  const kinds = changes.map(({ kind }) => kind);
  for (const { kind } of kinds) streams.closeOf(kind);
  await stopServices(kinds, grace);
  for (const kind of kinds) kind.leaveService();
}

async function startAll(
  changes: readonly KindChange[],
  { create }: RestartParts,
  kept: ReadonlyMap<KindHost, SavedParts>,
): Promise<void> {
  for (const { kind, next, giver } of changes) kind.reconfigure(next, giver);
  const starting = changes.map(({ kind }) => kind).filter(({ enabled }) => enabled);
  for (const kind of starting) {
    await create(kind);
    kind.keepFirst();
    const parts = kept.get(kind);
    if (parts !== undefined) kind.takeOver(parts);
  }
  admitGuests(starting);
  await startKinds(starting);
}
