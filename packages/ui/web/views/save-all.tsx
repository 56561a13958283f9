import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { apiFile } from '../lib/api.js';
import type { Action } from '../lib/action.js';
import { saveFile } from '../lib/save-file.js';
import { Code } from '../parts/as-code.js';
import { Copied } from '../parts/copied.js';
import { attempt } from '../parts/notice.js';

/** Saves everything that the server has in one file, see the flight recorder. */
export function SaveAll(): JSX.Element {
  const [keepsSecrets, setKeepsSecrets] = useState(false);
  const action: Action = {
    method: 'GET',
    path: `/api/flight${keepsSecrets ? '?secrets=true' : ''}`,
    cli: `save backlot.flight.gz${keepsSecrets ? ' --with-secrets' : ''}`,
  };
  return (
    <section aria-label="Everything in one file">
      <h2>Everything in one file</h2>
      <p class="quiet">
        What runs, what was done to it, the time, the seed and the log. The command below starts a server from
        it, with this page over it.
      </p>
      <div class="bar">
        <span class="act">
          <button
            type="button"
            onClick={() =>
              void attempt(async () => {
                const { name, blob } = await apiFile(action.path);
                saveFile(name, blob);
              })
            }
          >
            Save everything
          </button>
          <Code title="Save everything" actions={[['Save everything', action]]} />
        </span>
        <label>
          <input
            type="checkbox"
            checked={keepsSecrets}
            onChange={(event) => setKeepsSecrets(event.currentTarget.checked)}
          />{' '}
          With secrets
        </label>
      </div>
      <Copied label="Open it" text="npx backlot open backlot.flight.gz" />
    </section>
  );
}
