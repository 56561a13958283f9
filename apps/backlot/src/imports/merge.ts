import type { Imported, Json } from '@backlot/core';
import { CommandError } from '../cli/command-error.js';

/**
 * Several imports as one: lists of one name stand behind each other, and an id that is there already gets a number.
 *
 * @throws CommandError where two have another value for one setting
 */
export function mergeImports(all: readonly Imported[]): Imported {
  const [first, ...others] = all;
  if (first !== undefined && others.length === 0) return first;
  const protocols: Record<string, Record<string, unknown>> = {};
  const collections: Record<string, unknown> = {};
  const state: Record<string, string> = {};
  const data: Record<string, Record<string, { section: string; entries: readonly Json[] }>> = {};
  for (const one of all) {
    for (const [kind, block] of Object.entries(one.protocols ?? {})) {
      const merged = (protocols[kind] ??= {});
      for (const [key, value] of Object.entries(block))
        merged[key] = together(`${kind}.${key}`, merged[key], value);
    }
    for (const [name, definition] of Object.entries(one.collections ?? {})) {
      if (Object.hasOwn(collections, name))
        throw new CommandError(`two of the files have a collection "${name}"`);
      collections[name] = definition;
    }
    Object.assign(state, one.state);
    for (const [kind, settings] of Object.entries(one.data ?? {})) {
      const merged = (data[kind] ??= {});
      for (const [key, { section, entries }] of Object.entries(settings))
        merged[key] = { section, entries: [...(merged[key]?.entries ?? []), ...entries] };
    }
  }
  const reactions = withOwnIds(all.flatMap((one) => one.reactions ?? []));
  return {
    protocols,
    ...(Object.keys(collections).length === 0
      ? {}
      : { collections: collections as NonNullable<Imported['collections']> }),
    ...(Object.keys(state).length === 0 ? {} : { state }),
    ...(reactions.length === 0 ? {} : { reactions: reactions as NonNullable<Imported['reactions']> }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}

function together(place: string, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
  if (Array.isArray(before) && Array.isArray(value)) return withOwnIds((before as unknown[]).concat(value));
  if (isObject(before) && isObject(value)) return mergeObjects(before, value);
  if (JSON.stringify(before) === JSON.stringify(value)) return value;
  throw new CommandError(`the files have different values for ${place}; import them one by one`);
}

function mergeObjects(before: Json, value: Json): Json {
  return { ...before, ...value };
}

function withOwnIds(items: readonly unknown[]): readonly unknown[] {
  const taken = new Set<unknown>();
  return items.map((item) => {
    if (!isObject(item) || typeof item['id'] !== 'string') return item;
    let { id } = item as { id: string };
    for (let number = 2; taken.has(id); number += 1) id = `${item['id']}-${number}`;
    taken.add(id);
    return id === item['id'] ? item : { ...item, id };
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
