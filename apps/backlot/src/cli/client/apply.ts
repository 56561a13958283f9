import type { Protocol } from '@backlot/core';
import type { ApiClient } from '../../client/api-client.js';
import { applyList, type Api, type Applied, type ItemList } from '../../client/apply-list.js';
import { itemsOf, listsOf } from '../../client/file-lists.js';
import { ignoredAtTop, ignoredOf, type RunningKind } from '../../client/ignored-settings.js';
import { apiPath } from '../../client/paths.js';
import type { FileSettings } from '../../config/settings.js';
import { describeChange, Recorder } from '../../client/recorder.js';
import { namedFiles, requireFiles } from '../config-file.js';
import { loadConfig } from '../load-config.js';
import type { ClientFlags } from '../connect.js';
import { note, print, printJson, printLines } from '../output.js';

/** The flags of `backlot apply`. */
export interface ApplyFlags {
  readonly file?: readonly string[];
  readonly set?: readonly string[];
  readonly prune?: boolean;
  readonly dryRun?: boolean;
}

/**
 * `backlot apply`: makes mocks, scenarios and state of a running server those of a file, and says what of the file it
 * could not apply. The file is checked first, so that a mistake in it changes nothing. A second time it changes nothing. With
 * `--dry-run` it says what it would change instead.
 */
export async function apply(
  api: ApiClient,
  named: readonly string[],
  flags: ApplyFlags & ClientFlags,
): Promise<void> {
  const isApplied = flags.dryRun !== true;
  if (isApplied && flags.json !== true) {
    await applyFiles(api, named, flags, print);
    return;
  }
  const recorder = new Recorder(api, isApplied);
  const counts: string[] = [];
  await applyFiles(recorder, named, flags, (line) => counts.push(line));
  if (flags.json === true) return printJson({ applied: isApplied, changes: recorder.changes });
  for (const change of recorder.changes) printLines(describeChange(change));
  printLines(counts);
  print('nothing was changed');
}

/**
 * `backlot diff`: what of a server is not as a file says, both what differs and what only one of them has. It ends with 1 when there
 * is something, as `diff` does.
 */
export async function diff(
  api: ApiClient,
  named: readonly string[],
  flags: ApplyFlags & ClientFlags,
): Promise<void> {
  const recorder = new Recorder(api);
  await applyFiles(recorder, named, { ...flags, prune: true }, () => undefined);
  if (flags.json === true) printJson(recorder.changes);
  else for (const change of recorder.changes) printLines(describeChange(change));
  if (recorder.changes.length > 0) process.exitCode = 1;
}

async function applyFiles(
  api: Api,
  named: readonly string[],
  flags: ApplyFlags,
  say: (line: string) => void,
): Promise<void> {
  const files = requireFiles(namedFiles(named, flags.file));
  const { settings = {}, protocols } = await loadConfig(files, [], { sets: flags.set });
  const isPruning = flags.prune === true;
  const running = (await api.get('/api/protocols')) as readonly RunningKind[];
  const notes = ignoredAtTop(settings);
  for (const protocol of protocols) {
    for (const list of listsToApply(protocol, settings, running, notes)) {
      await applyAndSay(api, list, isPruning, notes, say);
    }
  }
  // After the mocks, which their patches are checked against.
  if (settings.scenarios !== undefined) {
    const list = scenarioList(itemsOf(settings.scenarios));
    await applyAndSay(api, list, isPruning, notes, say);
    await switchScenarios(api, list, notes, say);
  }
  await applyState(api, settings.state ?? {}, say);
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
  api: Api,
  list: ItemList,
  isPruning: boolean,
  notes: string[],
  say: (line: string) => void,
): Promise<void> {
  const applied = await applyList(api, list, isPruning);
  notes.push(...applied.notes);
  if (list.items.length > 0 || applied.removed > 0 || applied.further > 0)
    say(`${list.name}: ${describe(applied)}`);
}

function describe({ added, changed, removed, unchanged, further }: Applied): string {
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  return further === 0 ? counts : `${counts}; ${further} not in the file ${further === 1 ? 'stays' : 'stay'}`;
}

/** Switches scenarios on and off where the file says so and the server has it otherwise. */
async function switchScenarios(
  api: Api,
  { items }: ItemList,
  notes: string[],
  say: (line: string) => void,
): Promise<void> {
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
    say(`scenarios: ${wanted ? 'activated' : 'deactivated'} ${id}`);
  }
}

async function applyState(
  api: Api,
  wanted: Readonly<Record<string, string>>,
  say: (line: string) => void,
): Promise<void> {
  const entries = Object.entries(wanted);
  if (entries.length === 0) return;
  const present = new Map(Object.entries((await api.get('/api/state')) as Record<string, string>));
  const differing = entries.filter(([key, value]) => present.get(key) !== value);
  if (differing.length > 0) await api.post('/api/state', Object.fromEntries(differing));
  const changed = differing.filter(([key]) => present.has(key)).length;
  say(
    `state: ${differing.length - changed} added, ${changed} changed, ${entries.length - differing.length} unchanged`,
  );
}
