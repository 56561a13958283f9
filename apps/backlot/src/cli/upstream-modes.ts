import type { Protocol, UpstreamMode } from '@backlot/core';
import type { FileSettings } from '../config/settings.js';
import { CommandError } from './command-error.js';
import { note } from './output.js';

/** The modes that people name. */
export const MODES: readonly UpstreamMode[] = [
  'passthrough',
  'spy',
  'record_new',
  'record_all',
  'replay',
  'diff',
];

interface Block {
  readonly upstream?: { readonly url?: string; readonly mode?: UpstreamMode };
  readonly enabled?: boolean;
}

/**
 * The same settings with another mode for every upstream. A protocol that does not have the mode keeps its own, which is said.
 *
 * @throws CommandError when there is no upstream, or none that has the mode
 */
export function withUpstreamMode(
  settings: FileSettings | undefined,
  protocols: readonly Protocol[],
  mode: UpstreamMode,
): FileSettings {
  const blocks = Object.entries((settings?.protocols ?? {}) as Readonly<Record<string, Block | undefined>>);
  const changed: Record<string, unknown> = {};
  const without: string[] = [];
  for (const [kind, block] of blocks) {
    if (block?.upstream === undefined || block.enabled === false) continue;
    const { recording } = protocols.find((protocol) => protocol.kind === kind) ?? {};
    if (mode === 'passthrough' || recording?.modes.includes(mode) === true)
      changed[kind] = { ...block, upstream: { ...block.upstream, mode } };
    else without.push(kind);
  }
  if (Object.keys(changed).length === 0)
    throw new CommandError(
      without.length === 0
        ? 'no protocol has an upstream; give one a url, as in upstream: { url: "https://api.example.com", mode: record_new }'
        : `${without.join(', ')} cannot do ${mode} with an upstream`,
    );
  for (const kind of without)
    note(`${kind} cannot do ${mode} with its upstream, and does as its settings say`);
  return { ...settings, protocols: { ...settings?.protocols, ...changed } } as FileSettings;
}
