import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { addressOf, change, go } from '../lib/address.js';
import { expectSuch } from '../lib/checks.js';
import { draftOf, fitted, loosened, missOf, type Draft } from '../lib/drafts.js';
import type { Entry } from '../lib/entries.js';
import { dateOf, durationOf, quoted } from '../lib/format.js';
import { saveHar } from '../lib/har.js';
import { schemaOf } from '../lib/kinds.js';
import { edit } from '../lib/working.js';
import { Body } from '../parts/body.js';
import { Copied } from '../parts/copied.js';
import { Failed } from '../parts/empty.js';
import { KindName } from '../parts/mark.js';
import { attempt, say } from '../parts/notice.js';
import { Timing } from '../parts/timing.js';
import { Pairs } from '../parts/pairs.js';
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

/** Opens the editor with a mock for messages such as this one. */
async function draft(entry: Entry): Promise<void> {
  edit({ kind: entry.protocol, mock: draftOf(entry, await schemaOf(entry.protocol)), from: entry.id });
  go('edit');
}

/** Opens the editor with a mock that is there, changed perhaps. */
async function open(
  kind: string,
  id: string,
  from: string,
  alter: (mock: Draft) => Draft | undefined = (mock) => mock,
): Promise<void> {
  const stored = await api<Draft>(`/api/mocks/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`);
  edit({ kind, id, mock: alter(stored) ?? stored, from });
  go('edit');
}

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
                        void attempt(() => open(protocol, id, from, (mock) => fitted(mock, miss)))
                      }
                    >
                      Match this value
                    </button>
                    <button
                      type="button"
                      class="small"
                      onClick={() =>
                        void attempt(() => open(protocol, id, from, (mock) => loosened(mock, miss.field)))
                      }
                    >
                      Loosen {miss.field}
                    </button>
                  </>
                )}
                <button
                  type="button"
                  class="small"
                  onClick={() => void attempt(() => open(protocol, id, from))}
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

function Why({ entry }: { readonly entry: Entry }): JSX.Element {
  const { value, error } = useAsync(
    (signal) =>
      api<Explanation>(`/api/explain/${encodeURIComponent(entry.protocol)}`, { body: entry, signal }),
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

/** The command that sends the message again, where its kind has one. */
function SendAgain({ id }: { readonly id: string }): JSX.Element | null {
  const { value } = useAsync(
    (signal) =>
      api<{ readonly tool: string | null; readonly command: string | null }>(
        `/api/logs/${encodeURIComponent(id)}/command`,
        { signal },
      ),
    [id],
  );
  if (value === undefined || value.command === null) return null;
  return <Copied label={value.tool ?? 'Again'} text={value.command} />;
}

/** One entry of the log: what came, what was answered, why, and what to do about it. */
export function EntryPanel({ id }: { readonly id: string }): JSX.Element {
  const { value: entry, error } = useAsync(
    (signal) => api<Entry>(`/api/logs/${encodeURIComponent(id)}`, { signal }),
    [id],
  );
  return (
    <aside class="entry" aria-label="Entry">
      <header class="bar">
        {entry === undefined ? (
          <span>Entry {id}</span>
        ) : (
          <h2>
            <KindName kind={entry.protocol} /> <span class="verb">{entry.method}</span>{' '}
            <span class="target">{entry.path}</span>
          </h2>
        )}
        <span class="space" />
        <button
          type="button"
          class="plain"
          aria-label="Close"
          title="Close (Esc)"
          onClick={() => change({ entry: undefined })}
        >
          ×
        </button>
      </header>
      {error === undefined ? null : <Failed error={`${error}; the log keeps the newest entries only`} />}
      {entry === undefined ? null : <EntryParts entry={entry} />}
    </aside>
  );
}

function EntryParts({ entry }: { readonly entry: Entry }): JSX.Element {
  const { response } = entry;
  return (
    <div class="parts">
      <section>
        <h3>{entry.missed === true ? 'Why not' : 'Match'}</h3>
        <Why entry={entry} />
        {entry.failure === undefined ? null : <Failed error={entry.failure} />}
        <p class="actions">
          <button type="button" class="primary" onClick={() => void attempt(() => draft(entry))}>
            New mock from this
          </button>
          {entry.matched_id === undefined ? null : (
            <button
              type="button"
              onClick={() => void attempt(() => open(entry.protocol, entry.matched_id ?? '', entry.id))}
            >
              Edit this mock
            </button>
          )}
          <button
            type="button"
            onClick={() =>
              void attempt(async () => {
                expectSuch(entry, await schemaOf(entry.protocol));
                say('It is expected; see Checks');
              })
            }
          >
            Expect this
          </button>
          <button type="button" onClick={() => saveHar(`backlot-${entry.id}.har`, [entry])}>
            Save as HAR
          </button>
        </p>
      </section>
      <div class="sides">
        <section aria-label="Request">
          <h3>Request</h3>
          <Pairs values={entry.headers} />
          <Pairs values={entry.query} />
          <Body text={entry.body} encoding={entry.body_encoding} isCut={entry.body_truncated} />
        </section>
        <section aria-label="Answer">
          <h3>
            Answer <span class="status">{response?.status ?? entry.status ?? ''}</span>
          </h3>
          <Pairs values={response?.headers} />
          <Body text={response?.body} encoding={response?.body_encoding} isCut={response?.body_truncated} />
        </section>
      </div>
      <section>
        <h3>Time</h3>
        <Timing entry={entry} />
      </section>
      <section>
        <h3>Facts</h3>
        <Pairs
          values={{
            time: dateOf(entry.timestamp),
            ...(entry.remote === undefined ? {} : { connection: entry.remote }),
            ...(entry.trace === undefined ? {} : { trace: entry.trace }),
            ...(entry.fault === true ? { fault: 'a fault hit it' } : {}),
            ...(entry.aborted === true ? { client: 'left before the answer was complete' } : {}),
            ...(entry.path_params === undefined ? {} : { parameters: entry.path_params }),
          }}
        />
        {entry.trace === undefined ? null : (
          <p>
            <a href={addressOf('timeline', { trace: entry.trace, entry: entry.id })}>All of this trace</a>
          </p>
        )}
        <SendAgain id={entry.id} />
        <Copied
          label="Explain"
          text={`npx backlot explain ${entry.protocol} ${quoted(JSON.stringify({ method: entry.method, path: entry.path }))}`}
        />
      </section>
    </div>
  );
}
