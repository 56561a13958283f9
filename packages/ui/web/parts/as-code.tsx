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
  /** The same in a test, where `backlot` is what `useBacklot` gives; without it, the request is shown in TypeScript. */
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

function fetchOf({ method, path, body }: Action): string {
  const given = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(token.value === '' ? [] : ['headers: { authorization: `Bearer ${process.env.BACKLOT_API_TOKEN}` }']),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body)})`]),
  ];
  const options = given.length === 0 ? '' : `, { ${given.join(', ')} }`;
  return `await fetch(${JSON.stringify(urlOf(path))}${options})`;
}

/** The forms of an action: curl and TypeScript always, the command where there is one. It acts on the main world, and is left out in a space. */
export function Forms({ action }: { readonly action: Action }): JSX.Element {
  const isMain = space.value === '';
  return (
    <>
      <Copied label="curl" text={curlOf(action)} />
      {action.cli === undefined || !isMain ? null : <Copied label="CLI" text={`npx backlot ${action.cli}`} />}
      <Copied label="TypeScript" text={(isMain ? action.ts : undefined) ?? fetchOf(action)} />
    </>
  );
}

/** Shows an action as curl, as a command and in TypeScript, when it is opened. */
export function AsCode({ action }: { readonly action: Action }): JSX.Element {
  return (
    <details class="as-code">
      <summary>As code</summary>
      <Forms action={action} />
    </details>
  );
}
