import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { addressOf, change } from '../lib/address.js';
import { expectSuch } from '../lib/checks.js';
import { pathOf, type Entry } from '../lib/entries.js';
import { quoted } from '../lib/format.js';
import { saveHar } from '../lib/har.js';
import { schemaOf } from '../lib/kinds.js';
import { draft, openMock } from '../lib/mend.js';
import { Copied } from '../parts/copied.js';
import { Failed } from '../parts/empty.js';
import { KindName } from '../parts/mark.js';
import { attempt, say } from '../parts/notice.js';
import { Pairs } from '../parts/pairs.js';
import { useAsync } from '../parts/use-async.js';
import { EntrySides, factsOf } from './entry-sides.js';
import { Why } from './why.js';

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
  const { value: entry, error } = useAsync((signal) => api<Entry>(pathOf(id), { signal }), [id]);
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
              onClick={() => void attempt(() => openMock(entry.protocol, entry.matched_id ?? '', entry.id))}
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
      <EntrySides entry={entry} />
      <section>
        <h3>Facts</h3>
        <Pairs values={factsOf(entry)} />
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
