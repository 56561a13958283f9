import type { HostOptions } from '../contract/host.js';
import type { ReconfiguredPart } from '../contract/reconfigured.js';
import type { BacklotHost, Saved } from './host.js';
import type { KindHost } from './kind-host.js';

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
