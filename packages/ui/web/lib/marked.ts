import { useRef, useState } from 'preact/hooks';
import { ApiError, api } from './api.js';
import { go, place } from './address.js';
import { expectSuch } from './checks.js';
import { pathOf, type Entry, type Row } from './entries.js';
import { saveHar } from './har.js';
import { schemaOf } from './kinds.js';
import { rows } from './timeline.js';
import { say } from '../parts/notice.js';

const NONE: ReadonlySet<string> = new Set();

/** Rows that are marked, by their ids. */
export interface Marked {
  readonly ids: ReadonlySet<string>;
  /** @param range - also those between this one and the one that was marked before */
  readonly mark: (row: Row, range: boolean) => void;
  readonly clear: () => void;
}

/** Rows that are marked beside the one that is shown: by Ctrl or Command one by one, by Shift as far as that. */
export function useMarked(list: readonly Row[]): Marked {
  const [ids, setIds] = useState<ReadonlySet<string>>(NONE);
  const last = useRef<string | undefined>(undefined);
  return {
    ids,
    mark(row, range) {
      const next = new Set(ids);
      const from = range
        ? list.findIndex(({ id }) => id === (last.current ?? place.value.params['entry']))
        : -1;
      const to = list.findIndex(({ id }) => id === row.id);
      if (from < 0) {
        if (next.has(row.id)) next.delete(row.id);
        else next.add(row.id);
      } else for (const { id } of list.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(id);
      last.current = row.id;
      setIds(next);
    },
    clear: () => setIds(NONE),
  };
}

/** Asks for the marked entries, as far as the server still has them. */
async function readMarked(ids: ReadonlySet<string>): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const order = new Map(rows.map((row) => [row.id, row.order]));
  const ordered = [...ids].sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
  for (const id of ordered) {
    try {
      entries.push(await api<Entry>(pathOf(id)));
    } catch (thrown) {
      if (!(thrown instanceof ApiError && thrown.status === 404)) throw thrown;
    }
  }
  if (entries.length < ids.size) say(`${ids.size - entries.length} of them are no longer in the log`);
  return entries;
}

/** Saves the marked entries. */
export async function saveMarked(ids: ReadonlySet<string>): Promise<void> {
  const entries = await readMarked(ids);
  saveHar(`backlot-${entries.length}.har`, entries);
}

/** Expects messages such as the marked ones, in a check. */
export async function expectMarked(ids: ReadonlySet<string>): Promise<void> {
  for (const entry of await readMarked(ids)) expectSuch(entry, await schemaOf(entry.protocol));
  go('checks');
}
