import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import { running } from '../lib/kinds.js';
import { Empty, Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';
import { IncidentLever, type Incident } from './incident.js';

/** Trouble as servers have it, to be begun by name; what runs stands first. */
export function Incidents({ onChanged }: { readonly onChanged: () => void }): JSX.Element {
  const list = useAsync((signal) => api<readonly Incident[]>('/api/incidents', { signal }), [], 1000);
  if (list.error !== undefined) return <Failed error={list.error} />;
  const kinds = new Set(running.value.map(({ protocol }) => protocol));
  const known = (list.value ?? [])
    .map((incident) => ({ ...incident, protocols: incident.protocols.filter((kind) => kinds.has(kind)) }))
    .filter(({ protocols }) => protocols.length > 0);
  const shown = [...known].sort((one, other) => Number(!one.running) - Number(!other.running));
  return (
    <section>
      <h2>Incidents</h2>
      {list.value !== undefined && shown.length === 0 ? (
        <Empty command="npx backlot plugins">
          The protocols that run declare no incidents; the command lists those that are installed.
        </Empty>
      ) : null}
      <ul class="levers incidents">
        {shown.map((incident) => (
          <IncidentLever
            key={incident.name}
            incident={incident}
            onChanged={() => {
              list.again();
              onChanged();
            }}
          />
        ))}
      </ul>
    </section>
  );
}
