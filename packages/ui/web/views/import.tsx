import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { api } from '../lib/api.js';
import { addressOf } from '../lib/address.js';
import { isFlight, openFlight } from '../lib/flight.js';
import { quoted } from '../lib/format.js';
import { refreshProtocols, running } from '../lib/kinds.js';
import { wordsOfCounts, type Counts, type Format, type ImportReport } from '../lib/reports.js';
import { Drop } from '../parts/drop.js';
import { Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';
import { ImportTrial } from './import-trial.js';
import { Losses } from '../parts/losses.js';
import { attempt } from '../parts/notice.js';

/** The name of what is pasted. */
const PASTED = 'pasted.txt';

/** The request that makes something of a file. */
function importing(file: File, format: string, replaces: boolean): Action {
  const query = new URLSearchParams({
    name: file.name,
    ...(format === '' ? {} : { format }),
    ...(replaces ? { replace: 'true' } : {}),
  });
  const cli = ['import', quoted(file.name)];
  if (format !== '') cli.push('--format', quoted(format));
  if (replaces) cli.push('--replace');
  return { method: 'POST', path: `/api/import?${query}`, file, cli: cli.join(' ') };
}

/** Where what was made can be seen. */
function Made({ counts }: { readonly counts: Counts }): JSX.Element {
  const kinds = new Set(Object.keys(counts).map((what) => what.split(' ', 1)[0] ?? ''));
  return (
    <p class="actions">
      {running.value
        .filter(({ protocol }) => kinds.has(protocol))
        .map(({ protocol, title }) => (
          <a key={protocol} href={addressOf('mocks', { kind: protocol })}>
            Mocks of {title}
          </a>
        ))}
      {kinds.has('collections') ? <a href={addressOf('data', { kind: 'collections' })}>Collections</a> : null}
      {kinds.has('state') ? <a href={addressOf('levers')}>State</a> : null}
      {kinds.has('reactions') ? <a href={addressOf('reactions')}>Reactions</a> : null}
    </p>
  );
}

/** Makes mocks, data and state of a file that is chosen, dropped or pasted. */
export function Import(): JSX.Element {
  const formats = useAsync((signal) => api<readonly Format[]>('/api/import', { signal }), []);
  const [file, setFile] = useState<File>();
  const [text, setText] = useState('');
  const [format, setFormat] = useState('');
  const [replaces, setReplaces] = useState(false);
  const [made, setMade] = useState<ImportReport>();
  const take = (given: File): void => {
    if (isFlight(given)) {
      void attempt(() => openFlight(given));
      return;
    }
    setMade(undefined);
    setFile(given);
  };
  return (
    <section aria-label="Import">
      <h2>Import</h2>
      <p class="quiet">
        A file of another tool becomes mocks, data and state. First it is only said what would be made of it.
      </p>
      <Drop
        label="Choose a file, or drop it here"
        several="One file at a time; the command takes several"
        onFile={take}
      >
        <textarea
          rows={3}
          aria-label="The file as text"
          placeholder="Or paste it, such as a curl line"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="bar">
          <button type="button" disabled={text.trim() === ''} onClick={() => take(new File([text], PASTED))}>
            Look at the text
          </button>
          <label>
            Format{' '}
            <select
              aria-label="Format"
              value={format}
              onChange={(event) => setFormat(event.currentTarget.value)}
            >
              <option value="">told by looking</option>
              {(formats.value ?? []).map(({ format: name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label>
            <input
              type="checkbox"
              checked={replaces}
              onChange={(event) => setReplaces(event.currentTarget.checked)}
            />{' '}
            Mocks with the same ids are replaced
          </label>
        </div>
      </Drop>
      {formats.error === undefined ? null : <Failed error={formats.error} />}
      {file === undefined ? null : (
        <ImportTrial
          file={file}
          action={importing(file, format, replaces)}
          onDone={(report) => {
            setMade(report);
            setFile(undefined);
            return refreshProtocols();
          }}
        />
      )}
      {made === undefined ? null : (
        <section class="report" aria-label="What was made" role="status">
          <h3>{made.title}</h3>
          <p>
            Created: {wordsOfCounts(made.created)}.
            {Object.keys(made.replaced).length === 0 ? '' : ` Replaced: ${wordsOfCounts(made.replaced)}.`}
          </p>
          <Made counts={{ ...made.created, ...made.replaced }} />
          {made.left.map((sentence) => (
            <p key={sentence} class="failed">
              {sentence}
            </p>
          ))}
          <Losses report={made} />
        </section>
      )}
    </section>
  );
}
