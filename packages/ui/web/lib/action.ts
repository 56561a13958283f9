import { space } from './address.js';
import { mainUrlOf, ofServer, request, token, urlOf, type Call } from './api.js';
import { quoted } from './format.js';

/** What is done by the page: the request that it makes, and what a script would do in its place. */
export interface Action {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A file that is sent as it is, in place of a body. */
  readonly file?: File;
  /** The same by the command, without `backlot`. */
  readonly cli?: string;
  /** The same in a test, where `backlot` is what `useBacklot` gives; without it, the request is shown in TypeScript. */
  readonly ts?: string;
}

/**
 * Makes the request of an action. It is the only way in which the page changes something, so that whatever it does can be shown as code.
 *
 * @returns the answer. @throws ApiError when the server refuses; TypeError when it cannot be reached
 */
export function perform<Answer = unknown>(
  { method, path, body, file }: Action,
  onWarnings?: Call['onWarnings'],
): Promise<Answer> {
  return request<Answer>(path, { method, body, file, ...(onWarnings && { onWarnings }) });
}

function curlOf({ method, path, body, file }: Action): string {
  const parts = ['curl -s'];
  if (method !== 'GET' && !(method === 'POST' && (body !== undefined || file !== undefined)))
    parts.push(`-X ${method}`);
  if (token.value !== '') parts.push('-H "Authorization: Bearer $BACKLOT_API_TOKEN"');
  parts.push(quoted(urlOf(path)));
  if (body !== undefined) parts.push(`-d ${quoted(JSON.stringify(body))}`);
  if (file !== undefined) parts.push(`--data-binary ${quoted(`@${file.name}`)}`);
  return parts.join(' ');
}

function fetchOf({ method, path, body, file }: Action): string {
  const given = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(token.value === '' ? [] : ['headers: { authorization: `Bearer ${process.env.BACKLOT_API_TOKEN}` }']),
    ...(file === undefined ? [] : [`body: await readFile(${JSON.stringify(file.name)})`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body)})`]),
  ];
  const options = given.length === 0 ? '' : `, { ${given.join(', ')} }`;
  return `await fetch(${JSON.stringify(urlOf(path))}${options})`;
}

/** Where the command looks for a server when it is not told. */
const USUAL = /^http:\/\/(?:localhost|127\.0\.0\.1):9091\/$/;

function cliOf({ cli, path }: Action): string | undefined {
  if (cli === undefined) return undefined;
  const parts = [`npx backlot ${cli}`];
  if (space.value !== '' && !ofServer(path)) parts.push(`--space ${quoted(space.value)}`);
  const server = mainUrlOf('/');
  if (!USUAL.test(server)) parts.push(`--url ${quoted(server.replace(/\/$/, ''))}`);
  return parts.join(' ');
}

function tsOf({ ts, path }: Action): string | undefined {
  if (ts === undefined || space.value === '' || ofServer(path)) return ts;
  return ts.replace('backlot.host.', () => `backlot.host.spaces.get(${JSON.stringify(space.value)}).host.`);
}

/** The forms of an action by their names: curl and TypeScript always, the command where there is one; each for the space that is shown. */
export function formsOfAction(action: Action): readonly (readonly [name: string, text: string])[] {
  const cli = cliOf(action);
  return [
    ['curl', curlOf(action)],
    ...(cli === undefined ? [] : [['CLI', cli] as const]),
    ['TypeScript', tsOf(action) ?? fetchOf(action)],
  ];
}
