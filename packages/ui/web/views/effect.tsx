import type { JSX } from 'preact';
import { addressOf } from '../lib/address.js';
import type { DryRun, Tried } from '../lib/dry-run.js';
import { Failed } from '../parts/empty.js';
import { Warnings } from '../parts/warnings.js';

/** What would change with this mock, and what its contract warns of. */
export function Effect({ tried }: { readonly tried: Tried }): JSX.Element {
  const { result, error, warnings = [] } = tried;
  if (error !== undefined) return <Failed error={error} />;
  if (result === undefined) return <p class="quiet loading">...</p>;
  return (
    <>
      <Warnings warnings={warnings} />
      <Changes result={result} />
    </>
  );
}

function Changes({ result }: { readonly result: DryRun }): JSX.Element {
  const { looked_at: count, matches, changes } = result;
  if (count === 0) return <p class="quiet">Nothing has come yet that this could be tried with.</p>;
  return (
    <>
      <p>
        Of the last {count} {count === 1 ? 'message' : 'messages'}, <strong>{matches}</strong> would match.{' '}
        {changes.length === 0
          ? 'Nothing would be answered by another mock than before.'
          : `${changes.length} would be answered otherwise:`}
      </p>
      <ul class="changes">
        {changes.slice(0, 50).map(({ id, method, path, before, after }) => (
          <li key={id}>
            <a href={addressOf('timeline', { entry: id })}>
              <span class="verb">{method}</span> <span class="target">{path}</span>
            </a>
            <span class="quiet">
              {before ?? 'no match'} → {after ?? 'no match'}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
