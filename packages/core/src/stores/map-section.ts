import type { DataEntry, DataSection } from '../contract/data.js';
import type { Json } from '../contract/json.js';

/**
 * A section whose entries stand in a map under their ids.
 *
 * @param values - the map, asked for anew each time
 * @param show - makes what is shown of an entry
 * @param change - how entries are made and removed
 */
export function mapSection<T>(
  values: () => ReadonlyMap<string, T>,
  show: (value: T, id: string) => Json,
  change: Pick<DataSection, 'put' | 'remove'> = {},
): DataSection {
  const entryOf = (id: string): DataEntry => ({
    id,
    read() {
      const value = values().get(id);
      return value === undefined ? undefined : show(value, id);
    },
  });
  return {
    ...change,
    get size() {
      return values().size;
    },
    *entries() {
      for (const id of values().keys()) yield entryOf(id);
    },
    find: (id) => (values().has(id) ? entryOf(id) : undefined),
  };
}
