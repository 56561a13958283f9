import type { JSX } from 'preact';
import type { Action } from '../lib/action.js';
import { quoted } from '../lib/format.js';
import { wordsOfFault, wordsOfToxic, type Trouble } from '../lib/troubles.js';
import { Act } from '../parts/act.js';
import { KindName } from '../parts/mark.js';

/** The request that ends what a trouble comes from. */
function ending({ source, id = '' }: Trouble): Action {
  const name = encodeURIComponent(id);
  return source === 'scenario'
    ? {
        method: 'DELETE',
        path: `/api/scenarios/${name}/activate`,
        cli: `scenario deactivate ${quoted(id)}`,
        ts: `backlot.host.scenarios.deactivate(${JSON.stringify(id)})`,
      }
    : {
        method: 'DELETE',
        path: `/api/incidents/${name}`,
        cli: `incident stop ${quoted(id)}`,
        ts: `backlot.host.incidents.stop(${JSON.stringify(id)})`,
      };
}

/** Faults or toxics that scenarios and incidents have brought, each with what it comes from. */
export function FromElsewhere({
  troubles,
  onChanged,
}: {
  readonly troubles: readonly Trouble[];
  readonly onChanged: () => void;
}): JSX.Element {
  return (
    <>
      {troubles.map((trouble, index) => {
        const { protocol, source, id, in_force: acts, fault, toxic } = trouble;
        const words =
          fault === undefined ? (toxic === undefined ? '' : wordsOfToxic(toxic)) : wordsOfFault(fault);
        return (
          <li key={`${index} ${source} ${id}`} class={acts ? 'lever elsewhere on' : 'lever elsewhere'}>
            <KindName kind={protocol} />
            <span class="target" title={words}>
              {words}
            </span>
            <span class="source">
              {acts ? '' : 'covered, '}
              {source} <strong>{id}</strong>
            </span>
            <Act
              class="small"
              text="End"
              label={`End ${source} ${id}`}
              action={ending(trouble)}
              onDone={onChanged}
            />
          </li>
        );
      })}
    </>
  );
}
