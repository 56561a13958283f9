import type { JSX } from 'preact';
import type { Losses as Given, Note } from '../lib/reports.js';

/** As many are shown; a file of thousands of operations may have as many notes. */
const MOST = 200;

function Notes({ title, notes }: { readonly title: string; readonly notes: readonly Note[] }): JSX.Element {
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="count">{notes.length}</span>
      </h3>
      <ul class="notes">
        {notes.slice(0, MOST).map(({ place, message, count }) => (
          <li key={`${place} ${message}`}>
            <span>
              {message}
              {count > 1 ? <span class="quiet"> ({count} times)</span> : null}
            </span>
            {place === '' ? null : <code class="quiet">{place}</code>}
          </li>
        ))}
      </ul>
      {notes.length > MOST ? <p class="quiet">{notes.length - MOST} more.</p> : null}
    </section>
  );
}

/** What came over in another form, and what was left out, each with the reason and where it was met first. */
export function Losses({ report }: { readonly report: Given }): JSX.Element {
  const { approximated, refused } = report;
  if (approximated.length === 0 && refused.length === 0) return <p class="quiet">Nothing is lost.</p>;
  return (
    <>
      {refused.length === 0 ? null : <Notes title="Left out" notes={refused} />}
      {approximated.length === 0 ? null : <Notes title="In another form" notes={approximated} />}
    </>
  );
}
