import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { addressOf, change, place } from '../lib/address.js';
import { dateOf, durationOf, quoted } from '../lib/format.js';
import { Body } from '../parts/body.js';
import { Empty, Failed } from '../parts/empty.js';
import { Act } from '../parts/act.js';
import type { Action } from '../lib/action.js';
import { Pairs } from '../parts/pairs.js';
import { useAsync } from '../parts/use-async.js';

interface Attempt {
  readonly id: string;
  readonly mock_id?: string;
  readonly log_id?: string;
  readonly protocol: string;
  readonly timestamp: string;
  readonly url: string;
  readonly method: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_body?: string;
  readonly status_code?: number;
  readonly response_body?: string;
  readonly error?: string;
  readonly attempt: number;
  readonly duration_ms: number;
}

/** Headers that each sending has of its own. */
const OWN = /^(?:host|content-length|connection|transfer-encoding|accept-encoding)$/i;

function again({ url, method, request_headers: headers, request_body: text }: Attempt): Action {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.test(name)));
  return sending({ url, method, headers: kept, ...(text === undefined ? {} : { body: text }) });
}

/** The request that sends a webhook. */
function sending(body: object): Action {
  return {
    method: 'POST',
    path: '/api/webhooks/send',
    body,
    cli: `webhooks send ${quoted(JSON.stringify(body))}`,
    ts: `await backlot.host.webhooks?.send(${JSON.stringify(body)})`,
  };
}

function One({ id, onSent }: { readonly id: string; readonly onSent: () => void }): JSX.Element {
  const { value, error } = useAsync(
    (signal) => api<Attempt>(`/api/webhooks/${encodeURIComponent(id)}`, { signal }),
    [id],
  );
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  return (
    <section class="detail" aria-label="Attempt">
      <header class="bar">
        <h2>
          {value.method} {value.url}
        </h2>
        <span class="space" />
        <Act
          class="primary"
          text="Send again"
          action={again(value)}
          done="It is sent again"
          onDone={onSent}
        />
        <button type="button" class="plain" aria-label="Close" onClick={() => change({ id: undefined })}>
          ×
        </button>
      </header>
      {value.error === undefined ? null : <Failed error={value.error} />}
      <Pairs
        values={{
          time: dateOf(value.timestamp),
          attempt: value.attempt,
          took: durationOf(Math.round(value.duration_ms)),
          ...(value.mock_id === undefined ? {} : { mock: value.mock_id }),
        }}
      />
      {value.log_id === undefined ? null : (
        <p>
          Caused by <a href={addressOf('timeline', { entry: value.log_id })}>entry {value.log_id}</a>.
        </p>
      )}
      <h3>Sent</h3>
      <Pairs values={value.request_headers} />
      <Body text={value.request_body} />
      <h3>
        Answer <span class="status">{value.status_code ?? ''}</span>
      </h3>
      <Body text={value.response_body} />
    </section>
  );
}

/** What mocks have called, and what came of it. */
export function Webhooks(): JSX.Element {
  const list = useAsync((signal) => api<Attempt[]>('/api/webhooks?max_body=500', { signal }), [], 2000);
  const selected = place.value.params['id'];
  if (list.error !== undefined) return <Failed error={list.error} />;
  const all = [...(list.value ?? [])].reverse();
  return (
    <div class="view">
      <div class={selected === undefined ? 'columns' : 'columns with-detail'}>
        <section class="list" aria-label="Attempts">
          {list.value !== undefined && all.length === 0 ? (
            <Empty action={sending({ url: 'http://localhost:8080/', method: 'POST', body: 'hello' })}>
              No webhook was sent. A mock sends one with `webhook`, and the command one now.
            </Empty>
          ) : null}
          <ul class="cards">
            {all.map(({ id, url, method, status_code: status, error, attempt: count, timestamp }) => (
              <li key={id}>
                <button
                  type="button"
                  class="card"
                  aria-current={id === selected ? 'true' : undefined}
                  onClick={() => change({ id })}
                >
                  <span class="line">
                    <strong>{status ?? 'failed'}</strong>
                    <span class="target">
                      {method} {url}
                    </span>
                    <time class="quiet">{dateOf(timestamp)}</time>
                  </span>
                  <span class="quiet">
                    {error ?? ''} {count > 1 ? `attempt ${count}` : ''}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
        {selected === undefined ? null : <One key={selected} id={selected} onSent={list.again} />}
      </div>
    </div>
  );
}
