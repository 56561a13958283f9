import type { HostOptions } from '../contract/host.js';
import type { ReconfiguredPart } from '../contract/reconfigured.js';
import type { CollectionStore } from '../collections/collection-store.js';
import type { ReactionStore } from '../reactions/reaction-store.js';
import type { ScenarioStore } from '../scenarios/scenario-store.js';
import type { StateStore } from '../stores/state-store.js';
import type { StreamStore } from '../stores/stream-store.js';
import type { Clock } from '../time/clock.js';
import type { ToxicStore } from '../toxics/toxic-store.js';
import type { Saved } from './saved.js';
import type { KindHost } from './kind-host.js';

/** What is changed of a host that takes other options. */
export interface ReconfiguredHost {
  readonly kinds: readonly KindHost[];
  readonly clock: Clock;
  readonly scenarios: ScenarioStore;
  readonly toxics: ToxicStore;
  readonly state: StateStore;
  readonly collections: CollectionStore;
  readonly reactions: ReactionStore;
  readonly streams: StreamStore;
  kind(name: string): KindHost;
}

/** A host, and another one that was made of the options that it takes and does not run. */
export interface Reconfiguration {
  readonly host: ReconfiguredHost;
  readonly next: Pick<ReconfiguredHost, 'kinds'>;
  readonly before: HostOptions;
  readonly after: HostOptions;
  /** What a reset puts back now. */
  readonly startup: Saved;
  /** What a reset of the other one puts back. */
  readonly nextStartup: Saved;
  readonly create: (kind: KindHost) => Promise<void>;
  /** Puts a kind in the place of one that was a manifest. */
  adopt(kind: KindHost): KindHost;
  /** Puts the one that was a manifest there again. */
  putBack(kind: KindHost): void;
}

/** What the options of a host say of a kind. */
export function blockOf({ settings = {} }: HostOptions, kind: string): unknown {
  return Object.hasOwn(settings, kind) ? settings[kind] : undefined;
}

/** What has changed of a part. */
export type Changes = Pick<ReconfiguredPart, 'added' | 'changed' | 'removed'>;

/** Lists what has changed of a part, if anything has. */
export function note(
  parts: ReconfiguredPart[],
  part: ReconfiguredPart['part'],
  name: string | undefined,
  { added, changed, removed }: Changes,
): void {
  if (added.length + changed.length + removed.length === 0) return;
  parts.push({ part, ...(name === undefined ? {} : { name }), added, changed, removed });
}
