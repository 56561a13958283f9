import type { JSX } from 'preact';
import { space } from '../lib/address.js';
import { token, urlOf } from '../lib/api.js';
import { quoted } from '../lib/format.js';
import { Copied } from './copied.js';

/** What is done by the page, in the forms in which a script would do it. */
export interface Action {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The same by the command, without `backlot`. */
  readonly cli?: string;
  /** The same in a test, where `backlot` is what `useBacklot` gives. */
  readonly ts?: string;
}

function curlOf({ method, path, body }: Action): string {
  const parts = ['curl -s'];
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push(`-X ${method}`);
  if (token.value !== '') parts.push('-H "Authorization: Bearer $BACKLOT_API_TOKEN"');
  parts.push(quoted(urlOf(path)));
  if (body !== undefined) parts.push(`-d ${quoted(JSON.stringify(body))}`);
  return parts.join(' ');
}

/** Shows an action as curl, as a command and in TypeScript; these two act on the main world, and are left out in a space. */
export function AsCode({ action }: { readonly action: Action }): JSX.Element {
  return (
    <details class="as-code">
      <summary>As code</summary>
      <Copied label="curl" text={curlOf(action)} />
      {action.cli === undefined || space.value !== '' ? null : (
        <Copied label="CLI" text={`npx backlot ${action.cli}`} />
      )}
      {action.ts === undefined || space.value !== '' ? null : <Copied label="TypeScript" text={action.ts} />}
    </details>
  );
}
