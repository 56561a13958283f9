import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, change, go, place } from '../lib/address.js';
import { filterOf, fits, type Entry } from '../lib/entries.js';
import { flight, type Flight } from '../lib/flight.js';
import { dateOf } from '../lib/format.js';
import { Copied } from '../parts/copied.js';
import { Empty } from '../parts/empty.js';
import { Value } from '../parts/json.js';
import { KindName } from '../parts/mark.js';
import { Rows } from '../parts/rows.js';
import { EntrySides, factsOf } from './entry-sides.js';
import { Pairs } from '../parts/pairs.js';
import { OpenFlight } from './open-flight.js';
import { TimelineRow } from './timeline-row.js';

const HEIGHT = 26;

/** A recording that was opened: what it says of itself, and its log. */
export function FlightView(): JSX.Element {
  const opened = flight.value;
  if (opened === undefined)
    return (
      <div class="view scroll">
        <OpenFlight />
      </div>
    );
  return <Opened opened={opened} />;
}

function Opened({ opened }: { readonly opened: Flight }): JSX.Element {
  const { params } = place.value;
  const filter = filterOf(params);
  const shown = opened.rows.filter((row) => fits(row, filter));
  const { entry: selected } = params;
  const entry = selected === undefined ? undefined : opened.entries.get(selected);
  return (
    <div class={entry === undefined ? 'timeline' : 'timeline with-entry'}>
      <section class="list" aria-label="The recording">
        <About opened={opened} />
        <div class="bar">
          <input
            type="search"
            id="filter-q"
            class="wide"
            placeholder="Search (/)"
            aria-label="Search"
            value={params['q'] ?? ''}
            onInput={(event) => change({ q: event.currentTarget.value }, true)}
          />
          <label>
            <input
              type="checkbox"
              checked={filter.unmatched}
              onChange={(event) => change({ unmatched: event.currentTarget.checked ? '1' : undefined })}
            />{' '}
            No match
          </label>
          <span class="quiet counted">
            {shown.length === opened.rows.length ? shown.length : `${shown.length} of ${opened.rows.length}`}
          </span>
        </div>
        {shown.length === 0 ? (
          <Empty>
            {opened.rows.length === 0
              ? 'Nothing had come yet.'
              : `None of the ${opened.rows.length} entries fits this filter.`}
          </Empty>
        ) : (
          <Rows
            items={shown}
            height={HEIGHT}
            label="Log entries of the recording"
            idOf={(row) => row.id}
            selected={selected}
            onSelect={({ id }) => change({ entry: id }, true)}
            row={(row) => <TimelineRow row={row} />}
            follows={false}
          />
        )}
      </section>
      {entry === undefined ? null : <EntryOf key={entry.id} entry={entry} />}
    </div>
  );
}

/** What a recording says of itself. */
function About({ opened }: { readonly opened: Flight }): JSX.Element {
  const { name, header, leftOut } = opened;
  const [showsSettings, setShowsSettings] = useState(false);
  return (
    <section class="about" aria-label="About the recording">
      <header class="bar">
        <h2>{name}</h2>
        <span class="space" />
        <a class="button" href={addressOf('files')}>
          Open another
        </a>
        <button
          type="button"
          onClick={() => {
            flight.value = undefined;
            go('files');
          }}
        >
          Close the recording
        </button>
      </header>
      <p>
        {header.reason}, at <time>{dateOf(header.clock.now)}</time>, by Backlot {header.backlot}.{' '}
        {header.has_secrets ? 'It has secrets in it.' : 'Where secrets stood stands REDACTED.'}
      </p>
      <p class="quiet">
        {header.kinds.map(({ kind, title, url }) => (
          <span key={kind} class="flag" title={url}>
            {title}
          </span>
        ))}{' '}
        seed {header.seed}
      </p>
      {leftOut.length === 0 ? null : (
        <details>
          <summary>Not in it: {leftOut.length}</summary>
          <ul class="notes">
            {leftOut.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
      <details onToggle={(event) => setShowsSettings(event.currentTarget.open)}>
        <summary>What ran</summary>
        {showsSettings ? <Value value={opened.configuration} /> : null}
      </details>
      <Copied label="As a server" text={`npx backlot open ${name}`} />
    </section>
  );
}

/** An entry of a recording: what is known of it without a server. */
function EntryOf({ entry }: { readonly entry: Entry }): JSX.Element {
  const { matched_id: mock, near_misses: misses = [] } = entry;
  return (
    <aside class="entry" aria-label="Entry">
      <header class="bar">
        <h2>
          <KindName kind={entry.protocol} /> <span class="verb">{entry.method}</span>{' '}
          <span class="target">{entry.path}</span>
        </h2>
        <span class="space" />
        <button
          type="button"
          class="plain"
          aria-label="Close"
          title="Close"
          onClick={() => change({ entry: undefined })}
        >
          ×
        </button>
      </header>
      <div class="parts">
        <section>
          <h3>{entry.missed === true ? 'Why not' : 'Match'}</h3>
          {mock === undefined ? (
            <p>{entry.missed === true ? 'No mock has matched.' : 'It was answered without a mock.'}</p>
          ) : (
            <p>
              Answered by <code>{mock}</code>.
            </p>
          )}
          {misses.length === 0 ? null : (
            <ul class="nearest">
              {misses.map(({ mock_id: id, reason }) => (
                <li key={id}>
                  <code>{id}</code>
                  <span class="reason">{reason}</span>
                </li>
              ))}
            </ul>
          )}
          {entry.failure === undefined ? null : <p class="failed">{entry.failure}</p>}
        </section>
        <EntrySides entry={entry} isElsewhere />
        <section>
          <h3>Facts</h3>
          <Pairs values={factsOf(entry)} />
        </section>
      </div>
    </aside>
  );
}
