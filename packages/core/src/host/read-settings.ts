import type { Json } from '../contract/given.js';
import type { Protocol } from '../contract/protocol.js';
import type { CoreConfig } from '../contract/schema.js';
import { configSchemaOf } from '../contract/whole-schemas.js';
import { problemsIn, type Problem } from '../errors.js';
import { expandMocks } from '../mocks/expand-mocks.js';
import type { MockStore } from '../mocks/mock-store.js';
import type { MockTable } from '../mocks/mock-table.js';
import type { ItemStore } from '../stores/item-store.js';
import { readUpstream } from '../upstream/read-upstream.js';
import { isObject } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import { createValidator } from '../validation/validator.js';

/** The kind whose settings are read, and its stores, into which its lists go. */
export interface SettingsHost {
  readonly kind: string;
  readonly enabled: boolean;
  readonly protocol: Protocol;
  readonly table: MockTable;
  readonly mocks: MockStore;
  readonly itemLists: ReadonlyMap<string, ItemStore>;
  readonly services: { readonly defaultHost: string; readonly takesDefaultPorts: boolean };
}

/** The configuration with its defaults, and what is wrong with it. */
export interface Settings {
  readonly config: CoreConfig & Json;
  readonly problems: readonly Problem[];
  /** Stores the lists of mocks and items, a mock in each step. @returns what is wrong with them */
  readonly loadSteps: () => Generator<undefined, readonly Problem[]>;
}

/** Reads the block of a kind: its lists of mocks and items are for `loadSteps`, the rest is its configuration. */
export function readSettings(settings: unknown, host: SettingsHost): Settings {
  const { kind, enabled, protocol } = host;
  const problems: Problem[] = [];
  const base = `/settings/${kind}`;
  const { meta, mocks } = protocol;
  const isUnused = !enabled && isObject(settings) && Object.keys(settings).every((key) => key === 'enabled');
  if (protocol.load !== undefined && !isUnused) {
    problems.push({ path: base, message: `${kind} is given as a manifest, which takes no settings` });
  }
  if (!isObject(settings)) {
    problems.push({ path: base, message: `must be an object, got ${show(settings)}` });
  }
  const block: Record<string, unknown> = isObject(settings) ? { ...settings } : {};
  const mockList = takeList(block, mocks.configKey, base, problems);
  const itemLists = Array.from(host.itemLists.values(), (store) => ({
    store,
    items: takeList(block, store.declaration.configKey, base, problems),
  }));
  const own = structuredClone(block);
  const furtherLists = (mocks.furtherLists ?? []).flatMap((pointer) => takeLists(own, pointer, base));
  // Compiling a schema takes a millisecond and a megabyte; a kind that nobody asked for has nothing to check.
  const found = isUnused ? [] : createValidator(configSchemaOf(protocol)).fill(own, base);
  problems.push(...found);
  if (!isUnused && found.length === 0 && protocol.checkConfig !== undefined) {
    try {
      protocol.checkConfig(own, host.table.index);
    } catch (thrown) {
      problems.push(...problemsIn(thrown, base));
    }
  }
  if (!isUnused && found.length === 0) {
    try {
      readUpstream(protocol, own['upstream'] as CoreConfig['upstream'], own);
    } catch (thrown) {
      problems.push(...problemsIn(thrown, `${base}/upstream`));
    }
  }
  const config = {
    ...own,
    enabled,
    host: typeof own['host'] === 'string' ? own['host'] : host.services.defaultHost,
    port:
      typeof own['port'] === 'number'
        ? own['port']
        : host.services.takesDefaultPorts || !enabled
          ? meta.defaultPort
          : 0,
    portIsChosen: own['port'] !== undefined,
    toxics: (Array.isArray(own['toxics']) ? own['toxics'] : []) as CoreConfig['toxics'],
  };
  const lists = [{ list: mockList, at: `${base}/${mocks.configKey}` }, ...furtherLists];
  return {
    config,
    problems,
    *loadSteps() {
      const unfit: Problem[] = [];
      for (const { store, items } of itemLists) {
        unfit.push(...store.load(items, `${base}/${store.declaration.configKey}`));
        yield;
      }
      const ids = new Set<unknown>();
      for (const { list, at } of lists) unfit.push(...(yield* loadMockSteps(list, at, ids, host)));
      return unfit;
    },
  };
}

/** What a block says of the service itself, as a text to be compared: without its lists of mocks and items, and without toxics. */
export function serviceSettings(protocol: Protocol, settings: unknown): string {
  const own = withoutLists(protocol, settings);
  delete own['toxics'];
  return JSON.stringify(own);
}

/** What a block says beside its lists of mocks and items. */
export function withoutLists(
  { mocks, itemLists = {} }: Protocol,
  settings: unknown,
): Record<string, unknown> {
  if (!isObject(settings)) return {};
  const own: Record<string, unknown> = { ...settings };
  delete own[mocks.configKey];
  for (const { configKey } of Object.values(itemLists)) delete own[configKey];
  const copy = structuredClone(own);
  for (const pointer of mocks.furtherLists ?? []) takeLists(copy, pointer, '');
  return copy;
}

/** Stores the mocks of a list, with those that short forms in it stand for. */
function* loadMockSteps(
  list: readonly unknown[],
  at: string,
  ids: Set<unknown>,
  { protocol, mocks }: SettingsHost,
): Generator<undefined, readonly Problem[]> {
  const { mocks: expanded, locate, problems } = expandMocks(protocol, list, at);
  return [...problems, ...(yield* mocks.loadSteps(expanded, at, ids)).map(locate)];
}

function takeList(
  block: Record<string, unknown>,
  key: string,
  base: string,
  problems: Problem[],
): readonly unknown[] {
  const list = block[key];
  delete block[key];
  if (list === undefined || list === null) return [];
  if (Array.isArray(list)) return list;
  problems.push({ path: `${base}/${key}`, message: `must be a list, got ${show(list)}` });
  return [];
}

/** Takes every list that a pointer with `*` steps leads to out of a block; what is no list is left for the schema. */
function takeLists(
  block: unknown,
  pointer: string,
  base: string,
): readonly { readonly list: readonly unknown[]; readonly at: string }[] {
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  let holders = [{ value: block, at: base }];
  for (const step of steps) {
    holders = holders.flatMap(({ value, at }) => {
      if (step !== '*') return isObject(value) ? [{ value: value[step], at: `${at}/${step}` }] : [];
      return Array.isArray(value)
        ? value.map((each: unknown, index) => ({ value: each, at: `${at}/${index}` }))
        : [];
    });
  }
  return holders.flatMap(({ value, at }) => {
    const list = isObject(value) ? value[last] : undefined;
    if (!isObject(value) || !Array.isArray(list)) return [];
    delete value[last];
    return [{ list, at: `${at}/${last}` }];
  });
}
