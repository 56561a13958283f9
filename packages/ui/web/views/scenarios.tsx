import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { quoted } from '../lib/format.js';
import { AsCode } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

interface Scenario {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly active?: boolean;
  readonly patches?: readonly unknown[];
  readonly faults?: Readonly<Record<string, unknown>>;
}

/** Scenarios as switches. */
export function Scenarios({ onChanged }: { readonly onChanged: () => void }): JSX.Element {
  const list = useAsync((signal) => api<Scenario[]>('/api/scenarios', { signal }), [], 2000);
  if (list.error !== undefined) return <Failed error={list.error} />;
  const scenarios = list.value ?? [];
  const changed = (): void => {
    list.again();
    onChanged();
  };
  return (
    <section>
      <h2>Scenarios</h2>
      {list.value !== undefined && scenarios.length === 0 ? (
        <Empty>
          There is no scenario: a set of changes to mocks and of faults that is switched on and off as one.
          They stand under `scenarios` in the configuration.
        </Empty>
      ) : null}
      <ul class="levers named">
        {scenarios.map(({ id, name, description, active = false, patches = [], faults = {} }) => {
          const path = `/api/scenarios/${encodeURIComponent(id)}/${active ? 'deactivate' : 'activate'}`;
          return (
            <li key={id} class={active ? 'lever on' : 'lever'}>
              <label class="switch">
                <input
                  type="checkbox"
                  role="switch"
                  checked={active}
                  aria-label={`Scenario ${id}`}
                  onChange={() => void attempt(() => api(path, { method: 'POST' }).then(changed))}
                />
                <strong>{name ?? id}</strong>
              </label>
              <span class="target">
                {description ?? `${patches.length} changes of mocks, ${Object.keys(faults).length} faults`}
              </span>
              <AsCode
                action={{
                  method: 'POST',
                  path,
                  cli: `scenario ${active ? 'deactivate' : 'activate'} ${quoted(id)}`,
                  ts: `backlot.host.scenarios.${active ? 'deactivate' : 'activate'}(${JSON.stringify(id)})`,
                }}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
