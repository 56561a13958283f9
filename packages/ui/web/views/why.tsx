import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { addressOf } from '../lib/address.js';
import { fitted, loosened, missOf } from '../lib/drafts.js';
import type { Entry } from '../lib/entries.js';
import { durationOf } from '../lib/format.js';
import { openMock } from '../lib/mend.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

interface Explanation {
  readonly outcome: string;
  readonly mock_id?: string;
  readonly mock_ids?: readonly string[];
  readonly delays?: readonly {
    readonly source: string;
    readonly mock_id?: string;
    readonly min_ms: number;
    readonly median_ms: number;
    readonly max_ms?: number;
  }[];
  readonly fault?: { readonly hits: boolean; readonly reason?: string };
  readonly others: readonly { readonly mock_id: string; readonly reason: string }[];
}

/** How many mocks that are close are shown. */
const CLOSEST = 5;

function Near({
  entry,
  misses,
}: {
  readonly entry: Entry;
  readonly misses: Explanation['others'];
}): JSX.Element {
  const { protocol, id: from } = entry;
  return (
    <ol class="near">
      {misses.slice(0, CLOSEST).map(({ mock_id: id, reason }) => {
        const miss = missOf(reason);
        return (
          <li key={id}>
            <header>
              <a href={addressOf('mocks', { kind: protocol, id })}>{id}</a>
              <span class="actions">
                {miss === undefined ? null : (
                  <>
                    <button
                      type="button"
                      class="small"
                      onClick={() =>
                        void attempt(() => openMock(protocol, id, from, (mock) => fitted(mock, miss)))
                      }
                    >
                      Match this value
                    </button>
                    <button
                      type="button"
                      class="small"
                      onClick={() =>
                        void attempt(() => openMock(protocol, id, from, (mock) => loosened(mock, miss.field)))
                      }
                    >
                      Loosen {miss.field}
                    </button>
                  </>
                )}
                <button
                  type="button"
                  class="small"
                  onClick={() => void attempt(() => openMock(protocol, id, from))}
                >
                  Edit
                </button>
              </span>
            </header>
            {miss === undefined ? (
              <p class="reason">{reason}</p>
            ) : (
              <dl class="diff">
                <dt>{miss.field}</dt>
                <dd class="got">
                  <span>got</span>
                  <code>{miss.got}</code>
                </dd>
                <dd class="want">
                  <span>wants</span>
                  <code>{miss.want}</code>
                </dd>
              </dl>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Which mock has answered an entry, or why none has. */
export function Why({ entry }: { readonly entry: Entry }): JSX.Element {
  const { value, error } = useAsync(
    (signal) =>
      api<Explanation>(`/api/explain/${encodeURIComponent(entry.protocol)}`, { question: entry, signal }),
    [entry.id],
  );
  if (error !== undefined) return <p class="quiet">{error}</p>;
  if (value === undefined) return <p class="quiet loading">...</p>;
  const now = value.mock_id ?? value.mock_ids?.join(', ');
  const isMatched = entry.matched_id !== undefined;
  return (
    <>
      <p>
        {isMatched ? (
          <>
            Answered by{' '}
            <a href={addressOf('mocks', { kind: entry.protocol, id: entry.matched_id })}>
              {entry.matched_id}
            </a>
            {now === entry.matched_id ? '' : `; today it would be ${now ?? 'none'}`}.
          </>
        ) : now === undefined ? (
          entry.missed === true ? (
            'No mock matched.'
          ) : (
            'No mock matched, and none is needed for this.'
          )
        ) : (
          <>
            No mock matched; now <a href={addressOf('mocks', { kind: entry.protocol, id: now })}>{now}</a>{' '}
            would.
          </>
        )}{' '}
        {(value.delays ?? []).map(({ source, mock_id: id, min_ms: min, max_ms: max, median_ms: median }) => (
          <span key={`${source} ${id}`} class="quiet">
            {source === 'mock' ? `The mock ${id ?? ''} waits` : 'The fault adds'}{' '}
            {min === max ? durationOf(min) : `about ${durationOf(Math.round(median))}`}.{' '}
          </span>
        ))}
        {value.fault === undefined
          ? ''
          : value.fault.hits
            ? 'The fault would hit it.'
            : `The fault would not hit it: ${value.fault.reason ?? ''}.`}
      </p>
      {isMatched || value.others.length === 0 ? null : <Near entry={entry} misses={value.others} />}
    </>
  );
}
