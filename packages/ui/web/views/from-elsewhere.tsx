import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { wordsOfFault, wordsOfToxic, type Trouble } from '../lib/troubles.js';
import { KindName } from '../parts/mark.js';
import { attempt } from '../parts/notice.js';

/** Ends what a trouble comes from. */
async function end({ source, id = '' }: Trouble): Promise<void> {
  const name = encodeURIComponent(id);
  await (source === 'scenario'
    ? api(`/api/scenarios/${name}/activate`, { method: 'DELETE' })
    : api(`/api/incidents/${name}`, { method: 'DELETE' }));
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
            <button
              type="button"
              class="small"
              aria-label={`End ${source} ${id}`}
              onClick={() => void attempt(() => end(trouble).then(onChanged))}
            >
              End
            </button>
          </li>
        );
      })}
    </>
  );
}
