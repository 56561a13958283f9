import { unknownField } from '@backlot/core';
import type { PointedProblem } from '../config/expand-folders.js';
import { pointTo } from '../config/pointer.js';
import type { Origin } from './origins.js';
import type { WantedService } from './wanted.js';

type Row = Readonly<Record<string, unknown>>;

interface DeclaredCollection {
  readonly key?: string;
  readonly rows?: readonly Row[];
}

interface PlacedCollection {
  readonly key: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** Where the rows of the file are, by their place among all rows. */
  readonly rows: ReadonlyMap<number, string>;
}

/** The collections of a service with the rows that the file has for it, and the names of `rows` that are no collections. */
export function collectionsOf(service: WantedService): {
  readonly collections: readonly PlacedCollection[];
  readonly unknown: readonly PointedProblem[];
} {
  const { definition, changes, at = '' } = service;
  const begin = `${definition.header.name}:`;
  const own = definition.collections ?? {};
  const given = changes.rows ?? {};
  const known = Object.keys(own).map((name) => name.slice(begin.length));
  const unknown = Object.keys(given).flatMap((name): PointedProblem[] => {
    if (known.includes(name)) return [];
    const message = unknownField(name, known).replace('unknown field', 'unknown collection');
    return [{ path: pointTo(`${at}/rows`, name), message }];
  });
  const collections = Object.entries(own).map(([key, value]): PlacedCollection => {
    const name = key.slice(begin.length);
    const further = Object.hasOwn(given, name) ? (given[name] as readonly Row[]) : [];
    const placed = withRows(value as DeclaredCollection, further);
    const first = (placed.rows ?? []).length - further.length;
    return {
      key,
      value: placed,
      origin: { service, pointer: pointTo('/collections', key) },
      rows: new Map(further.map((_, index) => [first + index, `${pointTo(`${at}/rows`, name)}/${index}`])),
    };
  });
  return { collections, unknown };
}

function withRows(collection: DeclaredCollection, further: readonly Row[]): DeclaredCollection {
  if (further.length === 0) return collection;
  const { key = 'id', rows = [], ...rest } = collection;
  const replaced = new Set<unknown>(further.map((row) => row[key]).filter((id) => id !== undefined));
  return { ...rest, key, rows: [...rows.filter((row) => !replaced.has(row[key])), ...further] };
}
