import type { JSX } from 'preact';
import { Export } from './export.js';
import { Import } from './import.js';
import { SaveAll } from './save-all.js';

/** Files of other tools, in and out. */
export function Files(): JSX.Element {
  return (
    <div class="view scroll">
      <Import />
      <Export />
      <SaveAll />
    </div>
  );
}
