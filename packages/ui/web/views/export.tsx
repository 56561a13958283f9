import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { api, apiFile } from '../lib/api.js';
import { quoted } from '../lib/format.js';
import { wordsOfCounts, type ExportReport, type Format } from '../lib/reports.js';
import { saveFile } from '../lib/save-file.js';
import { Code } from '../parts/as-code.js';
import { Failed } from '../parts/empty.js';
import { Losses } from '../parts/losses.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

function exporting(format: string, id: string): Action {
  return {
    method: 'GET',
    path: `/api/export?${new URLSearchParams({ format, ...(id === '' ? {} : { id }) })}`,
    cli: `export --format ${quoted(format)}${id === '' ? '' : ` --id ${quoted(id)}`}`,
  };
}

/** What the file of a format would have, and the button that saves it. */
function Chosen({ action }: { readonly action: Action }): JSX.Element {
  const { path } = action;
  const { value, error } = useAsync((signal) => api<ExportReport>(`${path}&report=true`, { signal }), [path]);
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  return (
    <section class="report" aria-label="What is written" aria-live="polite">
      <p>
        {value.title}: {wordsOfCounts(value.written)}.
      </p>
      <Losses report={value} />
      <span class="act">
        <button
          type="button"
          class="primary"
          onClick={() =>
            void attempt(async () => {
              const { name, blob } = await apiFile(path);
              saveFile(name, blob);
            })
          }
        >
          Download
        </button>
        <Code title="Download" actions={[['Download', action]]} />
      </span>
    </section>
  );
}

/** Saves what runs, or what is in the log, as a file of another tool. */
export function Export(): JSX.Element {
  const formats = useAsync((signal) => api<readonly Format[]>('/api/export', { signal }), []);
  const [format, setFormat] = useState('');
  const [id, setId] = useState('');
  return (
    <section aria-label="Export">
      <h2>Export</h2>
      <p class="quiet">What runs, or what is in the log, becomes a file of another tool.</p>
      {formats.error === undefined ? null : <Failed error={formats.error} />}
      <div class="bar">
        <label>
          Export as{' '}
          <select
            aria-label="Export as"
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value)}
          >
            <option value="">choose a format</option>
            {(formats.value ?? []).map(({ format: name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Which one{' '}
          <input
            type="text"
            placeholder="all, or the id of a mail"
            value={id}
            onChange={(event) => setId(event.currentTarget.value.trim())}
          />
        </label>
      </div>
      {format === '' ? null : <Chosen key={`${format} ${id}`} action={exporting(format, id)} />}
    </section>
  );
}
