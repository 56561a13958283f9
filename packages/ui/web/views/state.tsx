import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { quoted } from '../lib/format.js';
import { AsCode } from '../parts/as-code.js';
import { Failed } from '../parts/empty.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

const MOST = 200;

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
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          if (key !== '') void attempt(() => api('/api/state', { body: { [key]: value } }).then(state.again));
        }}
      >
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
        <button type="submit">Set</button>
      </form>
      <dl class="pairs">
        {entries.slice(0, MOST).map(([name, each]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {each}{' '}
              <button
                type="button"
                class="plain"
                aria-label={`Delete ${name}`}
                onClick={() =>
                  void attempt(() =>
                    api(`/api/state/${encodeURIComponent(name)}`, { method: 'DELETE' }).then(state.again),
                  )
                }
              >
                ×
              </button>
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > MOST ? <p class="quiet">{entries.length - MOST} more.</p> : null}
      <AsCode
        action={{
          method: 'POST',
          path: '/api/state',
          body: { [key || 'key']: value },
          cli: `state set ${quoted(key || 'key')} ${quoted(value)}`,
          ts: `backlot.host.state.setAll(${JSON.stringify({ [key || 'key']: value })})`,
        }}
      />
    </section>
  );
}
