import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { api } from '../lib/api.js';
import { dateOf, quoted } from '../lib/format.js';
import { refreshProtocols } from '../lib/kinds.js';
import { Act, ActForm } from '../parts/act.js';
import { Empty, Failed } from '../parts/empty.js';
import { SnapshotChanges } from './snapshot-changes.js';
import { useAsync } from '../parts/use-async.js';

interface Snapshot {
  readonly id: string;
  readonly name?: string;
  readonly created_at: string;
}

/** The request that takes a snapshot; one without a name has its number. */
function taking(name: string): Action {
  return {
    method: 'POST',
    path: '/api/snapshots',
    body: name === '' ? {} : { name },
    cli: name === '' ? 'snapshot create' : `snapshot create ${quoted(name)}`,
    ts: `backlot.host.snapshots.create(${name === '' ? '' : JSON.stringify(name)})`,
  };
}

/** Everything as it was, under a name; and the reset. */
export function Snapshots(): JSX.Element {
  const list = useAsync((signal) => api<Snapshot[]>('/api/snapshots', { signal }), [], 3000);
  const [name, setName] = useState('');
  const [compared, setCompared] = useState<string>();
  if (list.error !== undefined) return <Failed error={list.error} />;
  const all = list.value ?? [];
  return (
    <section>
      <h2>
        Snapshots <span class="count">{all.length}</span>
      </h2>
      <div class="bar">
        <ActForm
          text="Take a snapshot"
          action={taking(name)}
          done="The snapshot is taken"
          onDone={list.again}
        >
          <input
            type="text"
            placeholder="Name"
            aria-label="Name of the snapshot"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </ActForm>
        <span class="space" />
        <Act
          class="danger"
          text="Reset everything"
          action={{ method: 'POST', path: '/api/reset', cli: 'reset', ts: 'backlot.host.reset()' }}
          done="Everything is as it was after the start"
          onDone={refreshProtocols}
        />
      </div>
      {list.value !== undefined && all.length === 0 ? (
        <Empty action={taking('before')}>No snapshot was taken.</Empty>
      ) : null}
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
              <Act
                class="small"
                text="Restore"
                action={{
                  method: 'POST',
                  path: `/api/snapshots/${encodeURIComponent(id)}/restore`,
                  cli: `snapshot restore ${quoted(id)}`,
                  ts: `backlot.host.snapshots.restore(${JSON.stringify(id)})`,
                }}
                done={`Everything is as in "${called ?? id}"`}
                onDone={refreshProtocols}
              />
              <Act
                class="small"
                text="Delete"
                action={{
                  method: 'DELETE',
                  path: `/api/snapshots/${encodeURIComponent(id)}`,
                  cli: `snapshot delete ${quoted(id)}`,
                  ts: `backlot.host.snapshots.remove(${JSON.stringify(id)})`,
                }}
                onDone={list.again}
              />
            </span>
            {compared === id ? <SnapshotChanges id={id} /> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
