import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { change, isJoined, place } from '../lib/address.js';
import { filterOf, type Row } from '../lib/entries.js';
import { useFiltered } from '../lib/filtered.js';
import { isTyping } from '../lib/keyboard.js';
import { isKnown, running } from '../lib/kinds.js';
import { useMarked } from '../lib/marked.js';
import { isPaused, link, rows, setPaused } from '../lib/timeline.js';
import { Empty } from '../parts/empty.js';
import { EmptyOfKind } from '../parts/empty-of-kind.js';
import { Rows } from '../parts/rows.js';
import { EntryPanel } from './entry.js';
import { Lanes } from './lanes.js';
import { TimelineBar } from './timeline-bar.js';
import { TimelineRow } from './timeline-row.js';

const HEIGHT = 26;

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
      if (row !== undefined) show(row);
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
  return (
    <div class={`timeline${selected === undefined ? '' : ' with-entry'}${isJoined.value ? ' joined' : ''}`}>
      <section class="list" aria-label="Timeline">
        <TimelineBar shown={list.length} marked={marked} />
        <Lanes
          kinds={kinds}
          filter={filter}
          onChoose={(kind) =>
            change({ protocol: filter.protocols.size === 1 && filter.protocols.has(kind) ? undefined : kind })
          }
        />
        {rows.length === 0 && isKnown.value ? (
          link.value === 'lost' ? (
            <Empty command="npx backlot start">The server does not answer.</Empty>
          ) : kinds[0] === undefined ? (
            <Empty command="npx backlot init && npx backlot start">No protocol runs.</Empty>
          ) : (
            <EmptyOfKind kind={kinds[0]}>
              Nothing has come yet. Send something, and it appears here.
            </EmptyOfKind>
          )
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
            onSelect={show}
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

/** Shows an entry; one of a space is shown there, since all that is done about it is done there. */
function show({ id, space, entry }: Row): void {
  if (isJoined.value && space !== '') change({ space, entry, all: undefined });
  else change({ entry: id }, true);
}
