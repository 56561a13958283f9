import { RECORDED_ID, type Protocol, type UpstreamMode } from '@backlot/core';
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
 * The same settings with another mode for every upstream of the kinds that start. A protocol that does not have the mode keeps its own,
 * which is said. For `replay` recordings do without an upstream.
 *
 * @param only - the only kinds that start; all of the settings when absent
 * @throws CommandError when none of them has an upstream, or none that has the mode
 */
export function withUpstreamMode(
  settings: FileSettings | undefined,
  protocols: readonly Protocol[],
  mode: UpstreamMode,
  only?: readonly string[],
): FileSettings {
  const blocks = Object.entries((settings?.protocols ?? {}) as Readonly<Record<string, Block | undefined>>);
  const changed: Record<string, unknown> = {};
  const without: string[] = [];
  const leftOut: string[] = [];
  for (const [kind, block] of blocks) {
    if (block === undefined || block.enabled === false) continue;
    const protocol = protocols.find((one) => one.kind === kind);
    const hasMode = mode === 'passthrough' || protocol?.recording?.modes.includes(mode) === true;
    const replays = mode === 'replay' && hasMode && hasRecordings(block, protocol);
    if (block.upstream === undefined && !replays && !isOpen(kind, settings, protocols)) continue;
    if (only?.includes(kind) === false) leftOut.push(kind);
    else if (hasMode) changed[kind] = { ...block, upstream: { ...block.upstream, mode } };
    else without.push(kind);
  }
  if (Object.keys(changed).length === 0)
    throw new CommandError(describeNone(mode, without, leftOut, only ?? []));
  for (const kind of without)
    note(`${kind} cannot do ${mode} with its upstream, and does as its settings say`);
  return { ...settings, protocols: { ...settings?.protocols, ...changed } } as FileSettings;
}

/** Whether messages of a kind say themselves which server they are for: by its own settings, or by those of the kind whose listener it shares. */
function isOpen(kind: string, settings: FileSettings | undefined, protocols: readonly Protocol[]): boolean {
  const block = settings?.protocols?.[kind];
  const { openWith } = protocols.find((one) => one.kind === kind)?.recording ?? {};
  if (block === undefined || openWith === undefined || !Object.hasOwn(block, openWith)) return false;
  const { share } = block;
  return (
    openWith !== 'share' ||
    (typeof share === 'string' && share !== kind && isOpen(share, settings, protocols))
  );
}

/** Why no kind has the mode. */
function describeNone(
  mode: UpstreamMode,
  without: readonly string[],
  leftOut: readonly string[],
  only: readonly string[],
): string {
  if (without.length > 0) return `${without.join(', ')} cannot do ${mode} with an upstream`;
  if (leftOut.length > 0)
    return `--only ${only.join(',')} leaves out ${leftOut.join(', ')}, which ${mode} would be for; name it as well, as in --only ${[...only, ...leftOut].join(',')}`;
  const example = 'upstream: { url: "https://api.example.com", mode: record_new }';
  return mode === 'replay'
    ? `there is nothing to replay; give a file with recordings by -c, as --export writes it, or a protocol an upstream, as in ${example}`
    : `no protocol that starts has an upstream; give one a url, as in ${example}, or make http a proxy by --proxy`;
}

/** Whether a block has mocks that were recorded. */
function hasRecordings(block: Block, protocol: Protocol | undefined): boolean {
  const list: unknown =
    protocol === undefined ? undefined : (block as Record<string, unknown>)[protocol.mocks.configKey];
  return (
    Array.isArray(list) &&
    list.some((mock: { readonly id?: unknown }) => String(mock.id).startsWith(RECORDED_ID))
  );
}
