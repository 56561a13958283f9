import type { HostOptions } from '../contract/host.js';
import type { Json } from '../contract/given.js';
import type { CollectionStore } from '../collections/collection-store.js';
import type { ReactionStore } from '../reactions/reaction-store.js';
import type { ScenarioStore } from '../scenarios/scenario-store.js';
import type { StateStore } from '../stores/state-store.js';
import type { KindHost } from './kind-host.js';
import { withoutLists } from './read-settings.js';

/** What is exported of a host. */
interface ExportedHost {
  readonly kinds: readonly KindHost[];
  readonly scenarios: ScenarioStore;
  readonly reactions: ReactionStore;
  readonly state: StateStore;
  readonly collections: CollectionStore;
}

/** Options that are exported as they were given. */
const AS_GIVEN = ['host', 'seed', 'vars', 'keys', 'logs', 'functions', 'spaces'] as const;

/** What runs as a configuration file says it, see `Host.configuration`. */
export function exportOptions(host: ExportedHost, options: HostOptions): Json {
  const given = AS_GIVEN.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  const protocols = host.kinds.flatMap((kind): [string, unknown][] =>
    kind.enabled ? [[kind.kind, blockOf(kind, options)]] : [],
  );
  const scenarios = host.scenarios
    .list()
    .map((scenario) => without(scenario, scenario.active ? ['problems'] : ['active', 'problems']));
  const reactions = host.reactions.list().map((reaction) => without(reaction, ['runs', 'last_error']));
  const state = host.state.all();
  const collections = host.collections.list().map(({ name, key }): [string, unknown] => {
    const declared = options.collections ?? {};
    const shape = Object.hasOwn(declared, name) ? without(declared[name] ?? {}, ['rows']) : { key };
    return [name, { ...shape, rows: host.collections.of(name).list() }];
  });
  return {
    ...(Object.fromEntries(given) as Json),
    ...(Object.keys(state).length === 0 ? {} : { state }),
    ...(collections.length === 0 ? {} : { collections: Object.fromEntries(collections) }),
    protocols: Object.fromEntries(protocols),
    ...(scenarios.length === 0 ? {} : { scenarios }),
    ...(reactions.length === 0 ? {} : { reactions }),
  };
}

function without(value: object, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as Json;
}

function blockOf(
  { kind, protocol, mocks, itemLists, toxics }: KindHost,
  { settings = {} }: HostOptions,
): Json {
  const own = withoutLists(protocol, Object.hasOwn(settings, kind) ? settings[kind] : {});
  delete own['toxics'];
  const list = mocks.list();
  const items = Array.from(
    itemLists.values(),
    (store) => [store.declaration.configKey, store.list()] as const,
  );
  const set = toxics.list();
  return {
    ...own,
    ...(set.length === 0 ? {} : { toxics: set }),
    ...Object.fromEntries(items.filter(([, values]) => values.length > 0)),
    ...(list.length === 0 ? {} : { [protocol.mocks.configKey]: list }),
  };
}
