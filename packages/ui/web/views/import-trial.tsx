import type { JSX } from 'preact';
import type { Action } from '../lib/action.js';
import { ApiError, request, type Problem } from '../lib/api.js';
import { wordsOfCounts, type ImportReport } from '../lib/reports.js';
import { Act } from '../parts/act.js';
import { Failed } from '../parts/empty.js';
import { Losses } from '../parts/losses.js';
import { Warnings } from '../parts/warnings.js';
import { useAsync } from '../parts/use-async.js';

interface Refusal {
  readonly failure: string;
  readonly details: readonly Problem[];
}

type Trial = ImportReport & { readonly warnings: readonly string[] };

/** Asks what would be made of a file, and changes nothing. */
async function tryIt({ method, path, file }: Action, signal: AbortSignal): Promise<Trial | Refusal> {
  let warnings: readonly string[] = [];
  const onWarnings = (found: readonly string[]): void => {
    warnings = found;
  };
  try {
    const report = await request<ImportReport>(`${path}&dry_run=true`, { method, file, signal, onWarnings });
    return { ...report, warnings };
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return { failure: thrown.message, details: thrown.details };
  }
}

/** What would be made of a file, and the button that does it. */
export function ImportTrial({
  file,
  action,
  onDone,
}: {
  readonly file: File;
  readonly action: Action;
  readonly onDone: (report: ImportReport) => unknown;
}): JSX.Element {
  const { value, error } = useAsync((signal) => tryIt(action, signal), [file, action.path]);
  return (
    <section class="report" aria-label="What would be made" aria-live="polite">
      <h3>{file.name}</h3>
      {error === undefined ? null : <Failed error={error} />}
      {value === undefined ? (
        error === undefined ? (
          <p class="quiet loading">...</p>
        ) : null
      ) : 'failure' in value ? (
        <>
          <Failed error={value.failure} />
          <ul class="notes">
            {value.details.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <span>{message}</span> {path === '' ? null : <code class="quiet">{path}</code>}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <>
          <p>
            {value.title}: {wordsOfCounts(value.taken)} can be taken. It would create{' '}
            {wordsOfCounts(value.created)}
            {Object.keys(value.replaced).length === 0 ? '' : `, and replace ${wordsOfCounts(value.replaced)}`}
            .
          </p>
          {value.left.map((sentence) => (
            <p key={sentence} class="failed">
              {sentence}
            </p>
          ))}
          <Losses report={value} />
          <Warnings warnings={value.warnings} />
          <Act<ImportReport>
            class="primary"
            text="Import"
            label={`Import ${file.name}`}
            action={action}
            done={`"${file.name}" is imported`}
            onDone={onDone}
          />
        </>
      )}
    </section>
  );
}
