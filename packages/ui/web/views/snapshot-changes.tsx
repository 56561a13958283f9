import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { titleOf } from '../lib/kinds.js';
import { AsCode } from '../parts/as-code.js';
import { Failed } from '../parts/empty.js';
import { Value } from '../parts/json.js';
import { useAsync } from '../parts/use-async.js';

interface Change {
  readonly part: string;
  readonly name?: string;
  readonly id: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

const SIGNS = { added: '+', removed: '\u2212', changed: '~' } as const;

function nameOf({ part, name }: Change): string {
  if (name === undefined) return part;
  return part === 'mocks' || part === 'messages' ? `${titleOf(name)} ${part}` : `${part} ${name}`;
}

/** What has changed since a snapshot was taken, part by part. */
export function SnapshotChanges({ id }: { readonly id: string }): JSX.Element {
  const path = `/api/snapshots/${encodeURIComponent(id)}/diff`;
  const { value, error } = useAsync(
    (signal) => api<{ readonly changes: readonly Change[]; readonly more: number }>(path, { signal }),
    [id],
    3000,
  );
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  const { changes, more } = value;
  if (changes.length === 0)
    return <p class="quiet">Mocks, faults, scenarios, state, collections and messages are as they were.</p>;
  return (
    <div class="snapshot-changes">
      <ul>
        {changes.slice(0, 200).map((change) => (
          <li key={`${change.part} ${change.name ?? ''} ${change.id}`} class={change.change}>
            <details>
              <summary>
                <span class="sign" aria-hidden="true">
                  {SIGNS[change.change]}
                </span>
                <span class="unseen">{change.change}</span> <span class="quiet">{nameOf(change)}</span>{' '}
                <span class="target">{change.id}</span>
              </summary>
              <div class="sides">
                {'before' in change ? (
                  <section aria-label="Then">
                    <h4>Then</h4>
                    <Value value={change.before} />
                  </section>
                ) : null}
                {'after' in change ? (
                  <section aria-label="Now">
                    <h4>Now</h4>
                    <Value value={change.after} />
                  </section>
                ) : null}
              </div>
            </details>
          </li>
        ))}
      </ul>
      {changes.length + more > 200 ? <p class="quiet">and {changes.length + more - 200} more</p> : null}
      <AsCode action={{ method: 'GET', path }} />
    </div>
  );
}
