import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { api } from '../lib/api.js';
import { addressOf, change, go, place } from '../lib/address.js';
import type { Draft } from '../lib/drafts.js';
import { quoted } from '../lib/format.js';
import { isKnown, refreshProtocols, running, schemaOf } from '../lib/kinds.js';
import { edit } from '../lib/working.js';
import { Act } from '../parts/act.js';
import { Empty, Failed } from '../parts/empty.js';
import { Value } from '../parts/json.js';
import { KindTabs } from '../parts/kind-tabs.js';
import { useAsync } from '../parts/use-async.js';
import { UpstreamOf } from './upstream.js';

interface Calls {
  readonly mock_id: string;
  readonly count: number;
  readonly calls: readonly {
    readonly id: string;
    readonly timestamp: string;
    readonly method: string;
    readonly path: string;
  }[];
}

function summaryOf(mock: Draft, fields: readonly string[]): string {
  const parts = fields
    .filter((field) => mock[field] !== undefined)
    .map((field) => {
      const value = mock[field];
      return typeof value === 'object' && value !== null
        ? Object.values(value)
            .map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each)))
            .join(' ')
        : String(value);
    });
  return parts.join('  ');
}

/** What the ids of recordings begin with. */
const RECORDED = 'recorded:';

/** The request that makes a mock. */
function adding(kind: string, mock: Draft): Action {
  const value = JSON.stringify(mock);
  return {
    method: 'POST',
    path: `/api/mocks/${encodeURIComponent(kind)}`,
    body: mock,
    cli: `add ${kind} ${quoted(value)}`,
    ts: `backlot.host.kind('${kind}').mocks.create(${value})`,
  };
}

/** One mock: what it says, and its calls. */
function Mock({ kind, id }: { readonly kind: string; readonly id: string }): JSX.Element {
  const path = `/api/mocks/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
  const mock = useAsync((signal) => api<Draft>(path, { signal }), [kind, id]);
  const calls = useAsync(
    (signal) =>
      api<Calls>(`/api/calls/${encodeURIComponent(kind)}/${encodeURIComponent(id)}?limit=20`, { signal }),
    [kind, id],
    2000,
  );
  if (mock.error !== undefined) return <Failed error={mock.error} />;
  if (mock.value === undefined) return <p class="quiet loading">...</p>;
  const { value } = mock;
  const removed = async (): Promise<void> => {
    await refreshProtocols();
    go('mocks', { kind });
  };
  return (
    <section class="detail" aria-label={id}>
      <header class="bar">
        <h2>{id}</h2>
        <span class="space" />
        <button
          type="button"
          class="primary"
          onClick={() => {
            edit({ kind, id, mock: value });
            go('edit');
          }}
        >
          Edit
        </button>
        <button
          type="button"
          onClick={() => {
            const { id: _id, created_at: _created, ...rest } = value;
            edit({ kind, mock: rest });
            go('edit');
          }}
        >
          Copy
        </button>
        <Act
          class="danger"
          text="Delete"
          action={{
            method: 'DELETE',
            path,
            cli: `delete ${kind} ${quoted(id)}`,
            ts: `backlot.host.kind('${kind}').mocks.remove(${JSON.stringify(id)})`,
          }}
          done={`"${id}" is deleted`}
          onDone={removed}
        />
      </header>
      <Value value={value} />
      <h3>
        Calls <span class="count">{calls.value?.count ?? 0}</span>
      </h3>
      {(calls.value?.count ?? 0) === 0 ? <p class="quiet">Never called.</p> : null}
      <ul class="changes">
        {(calls.value?.calls ?? []).map((call) => (
          <li key={call.id}>
            <a href={addressOf('timeline', { entry: call.id })}>
              <span class="verb">{call.method}</span> <span class="target">{call.path}</span>
            </a>
            <time class="quiet">{new Date(call.timestamp).toLocaleTimeString()}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}

function List({
  kind,
  selected,
}: {
  readonly kind: string;
  readonly selected: string | undefined;
}): JSX.Element {
  const [text, setText] = useState('');
  const schema = useAsync(() => schemaOf(kind), [kind]);
  const mocks = useAsync(
    (signal) => api<Draft[]>(`/api/mocks/${encodeURIComponent(kind)}`, { signal }),
    [kind],
    3000,
  );
  const unused = useAsync(
    (signal) => api<Draft[]>(`/api/mocks/${encodeURIComponent(kind)}?unused=true`, { signal }),
    [kind],
    3000,
  );
  const idle = new Set((unused.value ?? []).map((mock) => mock['id']));
  const { fields = [], noun = 'mock', examples = [] } = schema.value?.mock ?? {};
  if (mocks.error !== undefined) return <Failed error={mocks.error} />;
  if (mocks.value === undefined) return <p class="quiet loading">...</p>;
  const wanted = text.toLowerCase();
  const shown = mocks.value.filter(
    (mock) => wanted === '' || JSON.stringify(mock).toLowerCase().includes(wanted),
  );
  const recordings = mocks.value.map((mock) => String(mock['id'])).filter((id) => id.startsWith(RECORDED));
  const create = (): void => {
    const { id: _id, ...example } = examples[0] ?? {};
    edit({ kind, mock: example });
    go('edit');
  };
  return (
    <div class={selected === undefined ? 'columns' : 'columns with-detail'}>
      <section class="list" aria-label={`The ${noun}s`}>
        <div class="bar">
          <input
            type="search"
            id="filter-q"
            class="wide"
            placeholder="Search (/)"
            aria-label="Search"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <span class="quiet counted">
            {shown.length === mocks.value.length ? shown.length : `${shown.length} of ${mocks.value.length}`}
          </span>
          <button type="button" class="primary" onClick={create}>
            New {noun}
          </button>
        </div>
        <UpstreamOf kind={kind} recordings={recordings} unused={recordings.filter((id) => idle.has(id))} />
        {mocks.value.length === 0 ? (
          <Empty action={adding(kind, examples[0] ?? {})}>There is no {noun} yet.</Empty>
        ) : (
          <ul class="cards">
            {shown.slice(0, 500).map((mock) => {
              const id = String(mock['id']);
              return (
                <li key={id}>
                  <a
                    class="card"
                    aria-current={id === selected ? 'true' : undefined}
                    href={addressOf('mocks', { kind, id })}
                  >
                    <strong>{id}</strong>
                    <span class="target">{summaryOf(mock, fields)}</span>
                    {id.startsWith(RECORDED) ? <span class="flag">recorded</span> : null}
                    {idle.has(id) ? <span class="flag">never called</span> : null}
                  </a>
                </li>
              );
            })}
          </ul>
        )}
        {shown.length > 500 ? <p class="quiet">{shown.length - 500} more; search for them.</p> : null}
      </section>
      {selected === undefined ? null : <Mock key={selected} kind={kind} id={selected} />}
    </div>
  );
}

/** The mocks of each kind. */
export function Mocks(): JSX.Element {
  const { params } = place.value;
  const kind =
    params['kind'] ??
    running.value.find(({ mocks = 0 }) => mocks > 0)?.protocol ??
    running.value[0]?.protocol;
  if (kind === undefined)
    return isKnown.value ? (
      <Empty command="npx backlot init">No protocol runs.</Empty>
    ) : (
      <p class="quiet loading">...</p>
    );
  return (
    <div class="view">
      <KindTabs
        kinds={running.value.map(({ protocol, mocks }) => ({ kind: protocol, count: mocks ?? 0 }))}
        chosen={kind}
        onChoose={(next) => change({ kind: next, id: undefined })}
      />
      <List key={kind} kind={kind} selected={params['id']} />
    </div>
  );
}
