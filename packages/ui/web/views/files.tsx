import type { JSX } from 'preact';
import { Export } from './export.js';
import { Import } from './import.js';
import { OpenFlight } from './open-flight.js';
import { SaveAll } from './save-all.js';

/** Files of other tools, in and out, and recordings of everything. */
export function Files(): JSX.Element {
  return (
    <div class="view scroll">
      <Import />
      <Export />
      <SaveAll />
      <OpenFlight />
    </div>
  );
}
