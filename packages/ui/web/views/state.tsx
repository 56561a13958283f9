import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { api } from '../lib/api.js';
import { quoted } from '../lib/format.js';
import { Act, ActForm } from '../parts/act.js';
import { Empty, Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';

const MOST = 200;

/** The request that sets a value. */
function setting(key: string, value: string): Action {
  const body = { [key]: value };
  return {
    method: 'POST',
    path: '/api/state',
    body,
    cli: `state set ${quoted(key)} ${quoted(value)}`,
    ts: `backlot.host.state.setAll(${JSON.stringify(body)})`,
  };
}

/** The values that mocks of all protocols look at and set. */
export function State(): JSX.Element {
  const state = useAsync(
    (signal) => api<Readonly<Record<string, string>>>('/api/state', { signal }),
    [],
    2000,
  );
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  if (state.error !== undefined) return <Failed error={state.error} />;
  const entries = Object.entries(state.value ?? {});
  return (
    <section>
      <h2>
        State <span class="count">{entries.length}</span>
      </h2>
      <ActForm text="Set" action={key === '' ? undefined : setting(key, value)} onDone={state.again}>
        <input
          type="text"
          placeholder="Key"
          aria-label="Key"
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <input
          type="text"
          placeholder="Value"
          aria-label="Value"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </ActForm>
      {state.value !== undefined && entries.length === 0 ? (
        <Empty action={setting('mode', 'night')}>Nothing is remembered yet.</Empty>
      ) : null}
      <dl class="pairs">
        {entries.slice(0, MOST).map(([name, each]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {each}{' '}
              <Act
                class="plain"
                text="×"
                label={`Delete ${name}`}
                action={{
                  method: 'DELETE',
                  path: `/api/state/${encodeURIComponent(name)}`,
                  cli: `state delete ${quoted(name)}`,
                  ts: `backlot.host.state.delete(${JSON.stringify(name)})`,
                }}
                onDone={state.again}
              />
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > MOST ? <p class="quiet">{entries.length - MOST} more.</p> : null}
    </section>
  );
}
