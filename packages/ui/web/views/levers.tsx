import type { JSX } from 'preact';
import { api } from '../lib/api.js';
import type { Trouble } from '../lib/troubles.js';
import { Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';
import { ClockLever } from './clock.js';
import { Faults } from './faults.js';
import { Incidents } from './incidents.js';
import { Scenarios } from './scenarios.js';
import { Snapshots } from './snapshots.js';
import { State } from './state.js';
import { Toxics } from './toxics.js';

/** What goes wrong, what time it is, what is remembered. */
export function Levers(): JSX.Element {
  const { value, error, again } = useAsync(
    (signal) => api<readonly Trouble[]>('/api/troubles', { signal }),
    [],
    1000,
  );
  return (
    <div class="view scroll">
      {error === undefined ? null : <Failed error={error} />}
      {value === undefined ? (
        <p class="quiet loading">...</p>
      ) : (
        <>
          <Faults troubles={value} onChanged={again} />
          <Toxics troubles={value} onChanged={again} />
        </>
      )}
      <Incidents onChanged={again} />
      <Scenarios onChanged={again} />
      <ClockLever />
      <Snapshots />
      <State />
    </div>
  );
}
