import { useMemo, useRef } from 'preact/hooks';
import { fits, type Filter, type Row } from './entries.js';
import { rows, version } from './timeline.js';

/** The rows that pass a filter, each looked at once. */
export function useFiltered(filter: Filter): readonly Row[] {
  const known = useRef<{ filter: Filter; last: number | undefined; list: Row[] } | undefined>(undefined);
  const seen = version.value;
  return useMemo(() => {
    const old = known.current;
    const first = rows[0]?.order;
    let list: Row[];
    if (old?.filter === filter && old.last !== undefined && first !== undefined) {
      // What was dropped at the beginning is dropped here as well.
      const from = old.list.findIndex((row) => row.order >= first);
      list = from < 0 ? [] : old.list.slice(from);
      for (let index = rows.length - 1, added: Row[] = []; index >= -1; index -= 1) {
        const row = rows[index];
        if (row === undefined || row.order === old.last) {
          list.push(...added.reverse());
          break;
        }
        if (fits(row, filter)) added.push(row);
      }
    } else list = rows.filter((row) => fits(row, filter));
    known.current = { filter, last: rows.at(-1)?.order, list };
    return list;
  }, [filter, seen]);
}
