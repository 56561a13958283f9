import type { JSX } from 'preact';
import type { Action } from '../lib/action.js';
import { api } from '../lib/api.js';
import { change, place } from '../lib/address.js';
import { oneLine } from '../lib/format.js';
import { AsCode } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { Value } from '../parts/json.js';
import { useAsync } from '../parts/use-async.js';

interface CollectionView {
  readonly name: string;
  readonly rows?: number | readonly unknown[];
}

type RowValue = Readonly<Record<string, unknown>>;

/** The request that gives a collection its first row. */
function filling(name: string): Action {
  const rows = [{ id: '1', name: 'Ada' }];
  return {
    method: 'PUT',
    path: `/api/collections/${encodeURIComponent(name)}`,
    body: rows,
  };
}

/** The collections that mocks of all protocols share, and their rows. */
export function Collections(): JSX.Element {
  const list = useAsync((signal) => api<CollectionView[]>('/api/collections', { signal }), [], 3000);
  const { params } = place.value;
  const chosen = params['section'] ?? list.value?.[0]?.name;
  const rows = useAsync(
    (signal) =>
      chosen === undefined
        ? Promise.resolve([])
        : api<RowValue[]>(`/api/collections/${encodeURIComponent(chosen)}?limit=500`, { signal }),
    [chosen],
    2000,
  );
  if (list.error !== undefined) return <Failed error={list.error} />;
  if (list.value === undefined) return <p class="quiet loading">...</p>;
  if (chosen === undefined)
    return (
      <Empty action={filling('customers')}>
        There is no collection: they stand under `collections` in the configuration, or are made by their
        first rows.
      </Empty>
    );
  const fields = [...new Set((rows.value ?? []).slice(0, 50).flatMap((row) => Object.keys(row)))].slice(0, 7);
  const selected = params['id'];
  const row = rows.value?.[Number(selected)];
  return (
    <div class={row === undefined ? 'columns' : 'columns with-detail'}>
      <section class="list" aria-label="Collections">
        <div class="forms pad" role="group" aria-label="Collections">
          {list.value.map(({ name }) => (
            <button
              key={name}
              type="button"
              class="tab"
              aria-pressed={name === chosen}
              onClick={() => change({ section: name, id: undefined })}
            >
              {name}
            </button>
          ))}
        </div>
        {rows.error === undefined ? null : <Failed error={rows.error} />}
        {rows.value?.length === 0 ? <Empty action={filling(chosen)}>It has no rows.</Empty> : null}
        <div class="table-box">
          <table class="table">
            <thead>
              <tr>
                {fields.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(rows.value ?? []).map((each, index) => (
                <tr
                  key={index}
                  aria-selected={String(index) === selected}
                  onClick={() => change({ section: chosen, id: String(index) })}
                >
                  {fields.map((name, column) => (
                    <td key={name}>
                      {column === 0 ? (
                        <button type="button" class="link">
                          {oneLine(each[name]).slice(0, 120)}
                        </button>
                      ) : (
                        oneLine(each[name]).slice(0, 120)
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {row === undefined ? null : (
        <section class="detail" aria-label="Row">
          <header class="bar">
            <h2>{chosen}</h2>
            <span class="space" />
            <button type="button" class="plain" aria-label="Close" onClick={() => change({ id: undefined })}>
              ×
            </button>
          </header>
          <Value value={row} />
          <AsCode
            action={{
              method: 'GET',
              path: `/api/collections/${encodeURIComponent(chosen)}`,
              ts: `backlot.host.collection('${chosen}').list()`,
            }}
          />
        </section>
      )}
    </div>
  );
}
