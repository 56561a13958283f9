import type { JSX } from 'preact';
import type { Action } from '../lib/action.js';
import { api } from '../lib/api.js';
import { quoted } from '../lib/format.js';
import { running } from '../lib/kinds.js';
import { ActSwitch } from '../parts/act.js';
import { Empty, Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';

/** The request that puts a scenario on or off. */
function switching(id: string, verb: 'activate' | 'deactivate'): Action {
  return {
    method: 'POST',
    path: `/api/scenarios/${encodeURIComponent(id)}/${verb}`,
    cli: `scenario ${verb} ${quoted(id)}`,
    ts: `backlot.host.scenarios.${verb}(${JSON.stringify(id)})`,
  };
}

/** The request that makes a scenario, by which a kind fails. */
function creating(kind: string): Action {
  const body = { id: 'outage', faults: { [kind]: { error_rate: 1 } } };
  return {
    method: 'POST',
    path: '/api/scenarios',
    body,
    ts: `backlot.host.scenarios.create(${JSON.stringify(body)})`,
  };
}

interface Scenario {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly active?: boolean;
  readonly patches?: readonly unknown[];
  readonly faults?: Readonly<Record<string, unknown>>;
  /** By kind. */
  readonly toxics?: Readonly<Record<string, readonly unknown[]>>;
  readonly incidents?: Readonly<Record<string, unknown>>;
}

/** What a scenario brings, counted: those parts that it has. */
function contentOf({ patches = [], faults = {}, toxics = {}, incidents = {} }: Scenario): string {
  const counts: readonly (readonly [count: number, one: string, more: string])[] = [
    [patches.length, 'change of a mock', 'changes of mocks'],
    [Object.keys(faults).length, 'fault', 'faults'],
    [Object.values(toxics).flat().length, 'toxic', 'toxics'],
    [Object.keys(incidents).length, 'incident', 'incidents'],
  ];
  const parts = counts.filter(([count]) => count > 0);
  if (parts.length === 0) return 'changes nothing';
  return parts.map(([count, one, more]) => `${count} ${count === 1 ? one : more}`).join(', ');
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
        <Empty action={creating(running.value[0]?.protocol ?? '')}>
          There is no scenario: a set of changes to mocks and of faults that is switched on and off as one.
          They stand under `scenarios` in the configuration, or are made by the command.
        </Empty>
      ) : null}
      <ul class="levers named">
        {scenarios.map((scenario) => (
          <li key={scenario.id} class={scenario.active === true ? 'lever on' : 'lever'}>
            <ActSwitch
              label={`Scenario ${scenario.id}`}
              isOn={scenario.active === true}
              on={switching(scenario.id, 'activate')}
              off={switching(scenario.id, 'deactivate')}
              onDone={changed}
            >
              <strong>{scenario.name ?? scenario.id}</strong>
            </ActSwitch>
            <span class="target">{scenario.description ?? contentOf(scenario)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
