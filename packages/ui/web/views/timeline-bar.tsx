import type { JSX } from 'preact';
import { change, place, space } from '../lib/address.js';
import { expectMarked, saveMarked, type Marked } from '../lib/marked.js';
import { clearRows, held, isPaused, rows, setPaused, skipped } from '../lib/timeline.js';
import { spaces } from '../lib/spaces.js';
import { attempt } from '../parts/notice.js';

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

/** What narrows the timeline down, and what is done with it. */
export function TimelineBar({
  shown,
  marked,
}: {
  /** How many rows pass the filter. */
  readonly shown: number;
  readonly marked: Marked;
}): JSX.Element {
  const isFiltered = shown < rows.length;
  return (
    <div class="bar">
      <Field name="q" label="Search (/)" wide />
      <Field name="mock" label="Mock" />
      <Field name="status" label="Status" />
      <Field name="remote" label="Connection" />
      <Field name="trace" label="Trace" />
      <Switch name="unmatched" label="No match" />
      <Switch name="fault" label="Fault" />
      {space.value !== '' || (spaces.value.length === 0 && place.value.params['all'] === undefined) ? null : (
        <Switch name="all" label="All spaces" />
      )}
      <span class="quiet counted live">
        {isFiltered ? `${shown} of ${rows.length}` : `${rows.length}`}
        {skipped.value > 0 ? `, ${skipped.value} not shown` : ''}
      </span>
      <span class="space" />
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
        {isPaused.value ? (held.value === 0 ? 'Go on' : `Go on (${held.value} new)`) : 'Pause'}
      </button>
      <button type="button" onClick={clearRows}>
        Clear
      </button>
    </div>
  );
}
