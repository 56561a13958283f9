import type { JSX } from 'preact';
import { ClockLever } from './clock.js';
import { Faults } from './faults.js';
import { Scenarios } from './scenarios.js';
import { Snapshots } from './snapshots.js';
import { State } from './state.js';
import { Toxics } from './toxics.js';

/** What goes wrong, what time it is, what is remembered. */
export function Levers(): JSX.Element {
  return (
    <div class="view scroll">
      <Faults />
      <Toxics />
      <Scenarios />
      <ClockLever />
      <Snapshots />
      <State />
    </div>
  );
}
