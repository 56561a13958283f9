import { unknownField } from '@backlot/core';
import { resolve } from 'node:path';
import type { PointedProblem } from '../config/expand-folders.js';
import { pointTo } from '../config/pointer.js';
import { collectionsOf } from './collections.js';
import { mocksOf, pathsOf } from './definition.js';
import { unknownMockOf } from './names.js';
import type { Origin, Origins } from './origins.js';
import type { WantedService } from './wanted.js';

type Tree = Readonly<Record<string, unknown>>;
/** A value of the merged configuration, and where it comes from. */
interface Placed {
  readonly value: unknown;
  readonly origin: Origin;
}

/** What a header `Upgrade` is where nobody wants a WebSocket. */
const NO_WEBSOCKET = { any_of: [{ absent: true }, { not: { regex: '(?i)^websocket$' } }] };

/** What {@link mergeServices} makes. */
export interface Merged {
  readonly root: Tree;
  readonly problems: readonly PointedProblem[];
  readonly origins: Origins;
}

/**
 * Puts services into the value of a configuration file. Mocks of the file come first, then those that the file has for a
 * service, then those of the service: the first one that matches answers.
 */
export function mergeServices(file: Tree, services: readonly WantedService[]): Merged {
  const origins: Origins = new Map();
  const problems: PointedProblem[] = [];
  const root: Record<string, unknown> = { ...file };
  // Copied once, and then added to.
  const parts = new Map<string, Record<string, unknown>>();
  const lists = new Map<unknown, unknown[]>();
  const blocks: Record<string, Record<string, unknown>> = {};
  for (const [kind, block] of Object.entries(treeOf(file['protocols']))) blocks[kind] = { ...treeOf(block) };

  for (const service of services) {
    const { definition, changes } = service;
    const { name } = definition.header;
    for (const part of ['keys', 'state'] as const) {
      for (const [key, value] of Object.entries(definition[part] ?? {}))
        putBeside(root, part, key, value, { service, pointer: pointTo(`/${part}`, key) });
    }
    const { collections, unknown } = collectionsOf(service);
    for (const { key, value, origin, rows } of collections) {
      putBeside(root, 'collections', key, value, origin);
      for (const [index, at] of rows)
        origins.set(`${pointTo('/collections', key)}/rows/${index}`, { file: at });
    }
    problems.push(...unknown);
    const vars = { ...treeOf(definition.vars?.[name]), ...changes.vars, paths: listPaths(service) };
    putBeside(root, 'vars', name, vars, { service, pointer: pointTo('/vars', name) });
    putScenarios(root, service);
    putBlocks(blocks, service);
  }
  if (services.length > 0) root['protocols'] = blocks;
  return { root, problems, origins };

  /** What the file has under the same name counts. */
  function putBeside(
    tree: Record<string, unknown>,
    part: string,
    key: string,
    value: unknown,
    origin: Origin,
  ): void {
    let there = parts.get(part);
    if (there === undefined) {
      there = { ...treeOf(tree[part]) };
      parts.set(part, there);
      tree[part] = there;
    }
    if (Object.hasOwn(there, key)) return;
    there[key] = value;
    origins.set(pointTo(`/${part}`, key), origin);
  }

  function putScenarios(tree: Record<string, unknown>, service: WantedService): void {
    const { definition, changes, at } = service;
    const { name } = definition.header;
    const own = definition.scenarios ?? [];
    const ids = own.map(({ id }) => String(id));
    const active = new Set((changes.scenarios ?? []).map((id) => (ids.includes(id) ? id : `${name}:${id}`)));
    for (const [index, id] of (changes.scenarios ?? []).entries()) {
      if (ids.includes(id) || ids.includes(`${name}:${id}`)) continue;
      const short = ids.map((one) => one.slice(name.length + 1));
      const message = unknownField(id, short).replace('unknown field', 'unknown scenario');
      problems.push({ path: `${at ?? ''}/scenarios/${index}`, message });
    }
    if (own.length === 0) return;
    const all = listOf(tree, 'scenarios');
    for (const [index, scenario] of own.entries()) {
      origins.set(`/scenarios/${all.length}`, { service, pointer: `/scenarios/${index}` });
      all.push(active.has(String(scenario['id'])) ? { ...scenario, active: true } : scenario);
    }
  }

  function putBlocks(into: Record<string, Record<string, unknown>>, service: WantedService): void {
    const { header, protocols = {} } = service.definition;
    const placedLists = new Map<string, Placed[]>([['http mocks', []]]);
    for (const { kind, list, index, mock } of mocksOf(service.definition)) {
      const key = `${kind} ${list}`;
      const placed = placedLists.get(key) ?? [];
      placedLists.set(key, placed);
      const pointer = `${pointTo(pointTo('/protocols', kind), list)}/${index}`;
      placed.push({ value: mock, origin: { service, pointer } });
    }
    placedLists.set('http mocks', withChanges(placedLists.get('http mocks') ?? [], service));
    for (const [key, placed] of placedLists) {
      const [kind = '', list = ''] = key.split(' ');
      const block = (into[kind] ??= {});
      const all = listOf(block, list);
      const at = pointTo(pointTo('/protocols', kind), list);
      for (const { value, origin } of placed) {
        origins.set(`${at}/${all.length}`, origin);
        all.push(value);
      }
    }
    for (const [kind, own] of Object.entries(protocols)) {
      const block = (into[kind] ??= {});
      for (const [field, value] of Object.entries(own)) {
        if (Array.isArray(value)) {
          putTexts(block, kind, field, value, service);
          continue;
        }
        if (Object.hasOwn(block, field)) continue;
        const stands =
          field === 'share' ? ['port', 'host', 'tls'].find((name) => Object.hasOwn(block, name)) : undefined;
        if (stands !== undefined) {
          const message = `cannot stand here: service "${header.name}" has ${kind} on the port of ${String(value)}; leave it out`;
          problems.push({ path: pointTo(pointTo('/protocols', kind), stands), message });
          continue;
        }
        block[field] = value;
        const pointer = pointTo(pointTo('/protocols', kind), field);
        origins.set(pointer, { service, pointer });
      }
    }
    const http = (into['http'] ??= {});
    const mounts = listOf(http, 'mounts');
    const { path, hosts, decode } = header;
    const port = service.changes.port ?? header.port;
    origins.set(`/protocols/http/mounts/${mounts.length}`, { service, pointer: '/service' });
    mounts.push({
      path,
      ...(hosts === undefined ? {} : { hosts }),
      ...(port === undefined ? {} : { port }),
      ...(decode === undefined ? {} : { decode }),
    });
  }

  /** What a list has beside mocks: paths that start from the folder of the service, such as those of protos. */
  function putTexts(
    block: Record<string, unknown>,
    kind: string,
    field: string,
    values: readonly unknown[],
    service: WantedService,
  ): void {
    for (const [index, value] of values.entries()) {
      if (typeof value !== 'string') continue;
      const at = pointTo(pointTo('/protocols', kind), field);
      const all = listOf(block, field);
      origins.set(`${at}/${all.length}`, { service, pointer: `${at}/${index}` });
      all.push(value.startsWith('./') ? resolve(service.definition.folder, value) : value);
    }
  }

  /** The list under a key, which may be added to. */
  function listOf(tree: Record<string, unknown>, key: string): unknown[] {
    const there = tree[key];
    const known = lists.get(there);
    if (known !== undefined) return known;
    const list = Array.isArray(there) ? [...(there as unknown[])] : [];
    tree[key] = list;
    lists.set(list, list);
    return list;
  }
}

/** The mocks of a service with those of the file, and at the end the answer to what none of them is for. */
function withChanges(own: readonly Placed[], service: WantedService): Placed[] {
  const { changes, definition, at = '' } = service;
  const { name, path, unknown, auth } = definition.header;
  const given = (changes.mocks ?? []).map((value: unknown, index): Placed => {
    return { value, origin: { file: `${at}/mocks/${index}` } };
  });
  const byId = new Map(given.map((placed) => [idOf(placed), placed]));
  const ids = new Set(own.map(idOf));
  // A kind that shares the listener takes the upgrades that no HTTP mock does.
  const isGuest = Object.values(service.definition.protocols ?? {}).some(({ share }) => share === 'http');
  const answer: Placed = {
    value: {
      id: unknownMockOf(name),
      request: {
        path: `${path}/*`,
        ...(isGuest && { headers: { Upgrade: NO_WEBSOCKET } }),
        ...(auth === undefined ? {} : { auth }),
      },
      response: {
        status: 404,
        json: { error: `the service ${name} knows no such path`, known: `{{vars.${name}.paths}}` },
        ...unknown,
      },
    },
    origin: { service, pointer: '/service/unknown' },
  };
  return [
    ...given.filter((placed) => !ids.has(idOf(placed))),
    ...own.map((placed) => (idOf(placed) === undefined ? placed : (byId.get(idOf(placed)) ?? placed))),
    ...(byId.has(unknownMockOf(name)) ? [] : [answer]),
  ];
}

function idOf({ value }: Placed): string | undefined {
  const { id } = treeOf(value);
  return typeof id === 'string' ? id : undefined;
}

/** For people: which paths a service knows, in the order of its file. */
function listPaths({ definition }: WantedService): string {
  const paths = [...mocksOf(definition)].flatMap(({ mock }) => [...pathsOf(mock)]);
  const below = paths.map(({ path }) => path.slice(definition.header.path.length) || '/');
  return [...new Set(below)].filter((path) => !path.endsWith('*')).join(', ');
}

function treeOf(value: unknown): Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Tree) : {};
}
