import type { Protocol } from '@backlot/core';
import type { ApiClient } from '../../client/api-client.js';
import { applyList, type Applied, type ItemList } from '../../client/apply-list.js';
import { itemsOf, listsOf } from '../../client/file-lists.js';
import { ignoredAtTop, ignoredOf, type RunningKind } from '../../client/ignored-settings.js';
import { apiPath } from '../../client/paths.js';
import type { FileSettings } from '../../config/settings.js';
import { namedFiles, requireFiles } from '../config-file.js';
import { loadConfig } from '../load-config.js';
import { note, print } from '../output.js';

/** The flags of `backlot apply`. */
export interface ApplyFlags {
  readonly file?: readonly string[];
  readonly set?: readonly string[];
  readonly prune?: boolean;
}

/**
 * `backlot apply`: makes mocks, scenarios and state of a running server those of a file, and says what of the file it
 * could not apply. The file is checked first, so that a mistake in it changes nothing. A second time it changes nothing.
 */
export async function apply(api: ApiClient, named: readonly string[], flags: ApplyFlags): Promise<void> {
  const files = requireFiles(namedFiles(named, flags.file));
  const { settings = {}, protocols } = await loadConfig(files, [], { sets: flags.set });
  const isPruning = flags.prune === true;
  const running = (await api.get('/api/protocols')) as readonly RunningKind[];
  const notes = ignoredAtTop(settings);
  for (const protocol of protocols) {
    for (const list of listsToApply(protocol, settings, running, notes)) {
      await applyAndSay(api, list, isPruning, notes);
    }
  }
  // After the mocks, which their patches are checked against.
  if (settings.scenarios !== undefined) {
    const list = scenarioList(itemsOf(settings.scenarios));
    await applyAndSay(api, list, isPruning, notes);
    await switchScenarios(api, list, notes);
  }
  await applyState(api, settings.state ?? {});
  for (const text of notes) note(`not applied: ${text}`);
}

/** The lists of a kind that the server has, with what of its block it does not take. */
function listsToApply(
  protocol: Protocol,
  settings: FileSettings,
  running: readonly RunningKind[],
  notes: string[],
): readonly ItemList[] {
  const { kind } = protocol;
  const block = settings.protocols?.[kind];
  if (block === undefined) return [];
  const there = running.find((one) => one.protocol === kind && one.enabled);
  if (block['enabled'] === false) {
    if (there !== undefined)
      notes.push(`${kind} is off in the file and on on the server; restart it to stop ${kind}`);
    return [];
  }
  if (there === undefined) {
    notes.push(
      `${kind}, with everything in its block: the server was started without it; restart it with this file`,
    );
    // Mocks that nobody serves are a failure, unlike a setting that waits for the next start.
    process.exitCode = 1;
    return [];
  }
  notes.push(...ignoredOf(protocol, block, there));
  return listsOf(protocol, block);
}

function scenarioList(items: ItemList['items']): ItemList {
  return {
    name: 'scenarios',
    path: '/api/scenarios',
    idField: 'id',
    answerFields: ['active', 'problems'],
    canReplace: true,
    canDelete: true,
    isOrdered: false,
    items,
  };
}

async function applyAndSay(
  api: ApiClient,
  list: ItemList,
  isPruning: boolean,
  notes: string[],
): Promise<void> {
  const applied = await applyList(api, list, isPruning);
  notes.push(...applied.notes);
  if (list.items.length > 0 || applied.removed > 0 || applied.further > 0)
    print(`${list.name}: ${describe(applied)}`);
}

function describe({ added, changed, removed, unchanged, further }: Applied): string {
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  return further === 0 ? counts : `${counts}; ${further} not in the file ${further === 1 ? 'stays' : 'stay'}`;
}

/** Switches scenarios on and off where the file says so and the server has it otherwise. */
async function switchScenarios(api: ApiClient, { items }: ItemList, notes: string[]): Promise<void> {
  const { active } = (await api.get('/api/scenarios/active')) as { active: readonly string[] };
  for (const { id, active: wanted } of items) {
    if (typeof id !== 'string') {
      if (wanted === true) notes.push('a scenario without an id cannot be switched on; give it one');
      continue;
    }
    if (typeof wanted !== 'boolean' || wanted === active.includes(id)) continue;
    await (wanted
      ? api.post(apiPath`/api/scenarios/${id}/activate`)
      : api.delete(apiPath`/api/scenarios/${id}/activate`));
    print(`scenarios: ${wanted ? 'activated' : 'deactivated'} ${id}`);
  }
}

async function applyState(api: ApiClient, wanted: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(wanted);
  if (entries.length === 0) return;
  const present = new Map(Object.entries((await api.get('/api/state')) as Record<string, string>));
  const differing = entries.filter(([key, value]) => present.get(key) !== value);
  if (differing.length > 0) await api.post('/api/state', Object.fromEntries(differing));
  const changed = differing.filter(([key]) => present.has(key)).length;
  print(
    `state: ${differing.length - changed} added, ${changed} changed, ${entries.length - differing.length} unchanged`,
  );
}
