import type { JSX } from 'preact';
import { openFlight } from '../lib/flight.js';
import { Drop } from '../parts/drop.js';
import { attempt } from '../parts/notice.js';

/** Opens a file of the flight recorder in the page alone. */
export function OpenFlight(): JSX.Element {
  return (
    <section aria-label="Open a recording">
      <h2>Open a recording</h2>
      <p class="quiet">
        A file of <code>backlot save</code>, or of a failed run with <code>--record</code>. Its log is shown
        here; nothing is sent to the server, and nothing changes on it.
      </p>
      <Drop
        label="Choose a recording, or drop it here"
        several="One recording at a time"
        onFile={(file) => void attempt(() => openFlight(file))}
      />
    </section>
  );
}
