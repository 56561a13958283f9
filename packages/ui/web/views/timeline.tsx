import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, api } from '../lib/api.js';
import { change, go, place } from '../lib/address.js';
import { expectSuch } from '../lib/checks.js';
import { filterOf, fits, type Entry, type Filter, type Row } from '../lib/entries.js';
import { durationOf, timeOf } from '../lib/format.js';
import { saveHar } from '../lib/har.js';
import { isTyping } from '../lib/keyboard.js';
import { isKnown, running, schemaOf } from '../lib/kinds.js';
import { clearRows, isPaused, link, rows, setPaused, skipped, version } from '../lib/timeline.js';
import { Empty } from '../parts/empty.js';
import { KindName } from '../parts/mark.js';
import { attempt, say } from '../parts/notice.js';
import { Rows } from '../parts/rows.js';
import { EntryPanel } from './entry.js';
import { Lanes } from './lanes.js';

const HEIGHT = 26;
const NONE: ReadonlySet<string> = new Set();

function TimelineRow({ row }: { readonly row: Row }): JSX.Element {
  const flags = [row.unmatched ? 'no match' : '', row.fault ? 'fault' : '', row.aborted ? 'left' : ''];
  const words = flags.filter((flag) => flag !== '');
  return (
    <>
      <span class="at">{timeOf(row.at)}</span>
      <KindName kind={row.protocol} />
      <span class="verb">{row.method}</span>
      <span class="target" title={row.path}>
        {row.path}
      </span>
      <span class="mock">
        {words.map((word) => (
          <span key={word} class={`flag ${word.replace(' ', '-')}`}>
            {word}
          </span>
        ))}
        {row.mock ?? ''}
      </span>
      <span class="status">{row.status}</span>
      <span
        class={row.delayed > 0 ? 'took delayed' : 'took'}
        title={row.delayed > 0 ? `${durationOf(row.delayed)} of it added on purpose` : undefined}
      >
        {durationOf(row.duration)}
      </span>
    </>
  );
}

/** The rows that pass a filter, each looked at once. */
function useFiltered(filter: Filter): readonly Row[] {
  const known = useRef<{ filter: Filter; last: string | undefined; list: Row[] } | undefined>(undefined);
  const seen = version.value;
  return useMemo(() => {
    const old = known.current;
    const first = rows[0]?.id;
    let list: Row[];
    if (old?.filter === filter && old.last !== undefined && first !== undefined) {
      // What was dropped at the beginning is dropped here as well.
      const oldest = Number(first);
      const from = old.list.findIndex((row) => Number(row.id) >= oldest);
      list = from < 0 ? [] : old.list.slice(from);
      for (let index = rows.length - 1, added: Row[] = []; index >= -1; index -= 1) {
        const row = rows[index];
        if (row === undefined || row.id === old.last) {
          list.push(...added.reverse());
          break;
        }
        if (fits(row, filter)) added.push(row);
      }
    } else list = rows.filter((row) => fits(row, filter));
    known.current = { filter, last: rows.at(-1)?.id, list };
    return list;
  }, [filter, seen]);
}

function Field({
  name,
  label,
  wide = false,
}: {
  readonly name: string;
  readonly label: string;
  readonly wide?: boolean;
}): JSX.Element {
  return (
    <input
      type="search"
      id={`filter-${name}`}
      class={wide ? 'wide' : ''}
      placeholder={label}
      aria-label={label}
      value={place.value.params[name] ?? ''}
      onInput={(event) => change({ [name]: event.currentTarget.value }, true)}
    />
  );
}

function Switch({ name, label }: { readonly name: string; readonly label: string }): JSX.Element {
  const isOn = place.value.params[name] === '1';
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isOn}
      onClick={() => change({ [name]: isOn ? undefined : '1' })}
    >
      {label}
    </button>
  );
}

/** Rows that are marked beside the one that is shown: by Ctrl or Command one by one, by Shift as far as that. */
function useMarked(list: readonly Row[]): {
  readonly ids: ReadonlySet<string>;
  readonly mark: (row: Row, range: boolean) => void;
  readonly clear: () => void;
} {
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
  for (const id of [...ids].sort((one, other) => Number(one) - Number(other))) {
    try {
      entries.push(await api<Entry>(`/api/logs/${encodeURIComponent(id)}`));
    } catch (thrown) {
      if (!(thrown instanceof ApiError && thrown.status === 404)) throw thrown;
    }
  }
  if (entries.length < ids.size) say(`${ids.size - entries.length} of them are no longer in the log`);
  return entries;
}

/** Saves the marked entries. */
async function saveMarked(ids: ReadonlySet<string>): Promise<void> {
  const entries = await readMarked(ids);
  saveHar(`backlot-${entries.length}.har`, entries);
}

/** Expects messages such as the marked ones, in a check. */
async function expectMarked(ids: ReadonlySet<string>): Promise<void> {
  for (const entry of await readMarked(ids)) expectSuch(entry, await schemaOf(entry.protocol));
  go('checks');
}

/** What happens, as it happens. */
export function Timeline(): JSX.Element {
  const { params } = place.value;
  const text = JSON.stringify({ ...params, entry: undefined });
  const filter = useMemo(() => filterOf(params), [text]);
  const list = useFiltered(filter);
  const selected = params['entry'];
  const kinds = running.value.map(({ protocol }) => protocol);
  // Keys come faster than what they change is drawn: each looks at what there is now.
  const latest = useRef(list);
  latest.current = list;
  const marked = useMarked(list);
  const marks = useRef(marked.mark);
  marks.current = marked.mark;
  useEffect(() => {
    const step = (by: number): void => {
      const shown = latest.current;
      const now = place.value.params['entry'];
      const at = shown.findIndex(({ id }) => id === now);
      const row = at < 0 ? shown.at(by > 0 ? 0 : -1) : shown[at + by];
      if (row !== undefined) change({ entry: row.id }, true);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      if (event.key === 'j') step(1);
      else if (event.key === 'k') step(-1);
      else if (event.key === 'x') {
        const row = latest.current.find(({ id }) => id === place.value.params['entry']);
        if (row !== undefined) marks.current(row, false);
      } else if (event.key === 'p') setPaused(!isPaused.value);
      else if (event.key === 'Escape') change({ entry: undefined });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const isFiltered = list.length < rows.length;
  return (
    <div class={selected === undefined ? 'timeline' : 'timeline with-entry'}>
      <section class="list" aria-label="Timeline">
        <div class="bar">
          <Field name="q" label="Search (/)" wide />
          <Field name="mock" label="Mock" />
          <Field name="status" label="Status" />
          <Field name="remote" label="Connection" />
          <Field name="trace" label="Trace" />
          <Switch name="unmatched" label="No match" />
          <Switch name="fault" label="Fault" />
          <span class="space" />
          <span class="quiet counted">
            {isFiltered ? `${list.length} of ${rows.length}` : `${rows.length}`}
            {skipped.value > 0 ? `, ${skipped.value} not shown` : ''}
          </span>
          {marked.ids.size === 0 ? null : (
            <>
              <button type="button" onClick={() => void attempt(() => saveMarked(marked.ids))}>
                Save {marked.ids.size} as HAR
              </button>
              <button type="button" onClick={() => void attempt(() => expectMarked(marked.ids))}>
                Expect {marked.ids.size}
              </button>
              <button type="button" class="plain" aria-label="Mark none" onClick={marked.clear}>
                ×
              </button>
            </>
          )}
          <button type="button" aria-pressed={isPaused.value} onClick={() => setPaused(!isPaused.value)}>
            {isPaused.value ? 'Go on' : 'Pause'}
          </button>
          <button type="button" onClick={clearRows}>
            Clear
          </button>
        </div>
        <Lanes
          kinds={kinds}
          filter={filter}
          onChoose={(kind) =>
            change({ protocol: filter.protocols.size === 1 && filter.protocols.has(kind) ? undefined : kind })
          }
        />
        {rows.length === 0 && isKnown.value ? (
          <Empty command={firstCommand()}>
            {link.value === 'lost'
              ? 'The server does not answer.'
              : 'Nothing has come yet. Send something, and it appears here.'}
          </Empty>
        ) : list.length === 0 && rows.length > 0 ? (
          <Empty>
            None of the {rows.length} entries fits this filter.{' '}
            <button
              type="button"
              class="link"
              onClick={() =>
                change({
                  q: undefined,
                  mock: undefined,
                  status: undefined,
                  remote: undefined,
                  trace: undefined,
                  unmatched: undefined,
                  fault: undefined,
                  protocol: undefined,
                })
              }
            >
              Show all
            </button>
          </Empty>
        ) : (
          <Rows
            items={list}
            height={HEIGHT}
            label="Log entries"
            idOf={(row) => row.id}
            selected={selected}
            onSelect={(row) => change({ entry: row.id }, true)}
            marked={marked.ids}
            onMark={marked.mark}
            row={(row) => <TimelineRow row={row} />}
            follows={!isPaused.value}
          />
        )}
      </section>
      {selected === undefined ? null : <EntryPanel key={selected} id={selected} />}
    </div>
  );
}

function firstCommand(): string {
  const first = running.value.find(({ port }) => port !== undefined);
  return first === undefined ? 'npx backlot init && npx backlot start' : 'npx backlot status';
}
