import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { dateOf, quoted } from '../lib/format.js';
import { refreshProtocols } from '../lib/kinds.js';
import { AsCode } from '../parts/as-code.js';
import { Failed } from '../parts/empty.js';
import { SnapshotChanges } from './snapshot-changes.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

interface Snapshot {
  readonly id: string;
  readonly name?: string;
  readonly created_at: string;
}

/** Everything as it was, under a name; and the reset. */
export function Snapshots(): JSX.Element {
  const list = useAsync((signal) => api<Snapshot[]>('/api/snapshots', { signal }), [], 3000);
  const [name, setName] = useState('');
  const [compared, setCompared] = useState<string>();
  if (list.error !== undefined) return <Failed error={list.error} />;
  const all = list.value ?? [];
  const restore = (id: string): Promise<unknown> =>
    api(`/api/snapshots/${encodeURIComponent(id)}/restore`, { method: 'POST' }).then(refreshProtocols);
  return (
    <section>
      <h2>
        Snapshots <span class="count">{all.length}</span>
      </h2>
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(
            () => api('/api/snapshots', { body: name === '' ? {} : { name } }).then(list.again),
            'The snapshot is taken',
          );
        }}
      >
        <input
          type="text"
          placeholder="Name"
          aria-label="Name of the snapshot"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit">Take a snapshot</button>
        <span class="space" />
        <button
          type="button"
          class="danger"
          onClick={() =>
            void attempt(
              () => api('/api/reset', { method: 'POST' }).then(refreshProtocols),
              'Everything is as it was after the start',
            )
          }
        >
          Reset everything
        </button>
      </form>
      <ul class="cards flat">
        {all.map(({ id, name: called, created_at: at }) => (
          <li key={id} class="card">
            <span class="line">
              <strong>{called ?? id}</strong>
              <time class="quiet">{dateOf(at)}</time>
              <span class="space" />
              <button
                type="button"
                class="small"
                aria-expanded={compared === id}
                onClick={() => setCompared(compared === id ? undefined : id)}
              >
                Changes
              </button>
              <button
                type="button"
                class="small"
                onClick={() => void attempt(() => restore(id), `Everything is as in "${called ?? id}"`)}
              >
                Restore
              </button>
              <button
                type="button"
                class="small"
                onClick={() =>
                  void attempt(() =>
                    api(`/api/snapshots/${encodeURIComponent(id)}`, { method: 'DELETE' }).then(list.again),
                  )
                }
              >
                Delete
              </button>
            </span>
            {compared === id ? <SnapshotChanges id={id} /> : null}
          </li>
        ))}
      </ul>
      <AsCode
        action={{
          method: 'POST',
          path: '/api/snapshots',
          body: name === '' ? {} : { name },
          cli: `snapshot create ${quoted(name || 'before')}`,
          ts: `backlot.host.snapshots.create(${JSON.stringify(name || 'before')})`,
        }}
      />
    </section>
  );
}
