import { signal } from '@preact/signals';
import { space } from './address.js';

/** Where the management API is: beside the page. */
const BASE = new URL('.', document.baseURI);

const STORED = 'backlot-token';

/** The token of the management API, kept while the tab is open; empty where none was needed. */
export const token = signal(sessionStorage.getItem(STORED) ?? '');
/** Whether a request was refused for want of the right token. */
export const needsToken = signal(false);

/** One problem of what was sent. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What the server answered in place of what was asked for. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly details: readonly Problem[],
    readonly fields: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

/** Keeps a token for this tab, and asks again with it. */
export function useToken(value: string): void {
  sessionStorage.setItem(STORED, value);
  token.value = value;
  needsToken.value = false;
}

/** The url of a path of the server. */
export function mainUrlOf(path: string): string {
  return new URL(path.replace(/^\//, ''), BASE).href;
}

/** Spaces, and what describes the interface, are those of the server, whatever space is shown. */
const OF_SERVER = /^\/api\/(?:spaces(?:[/?]|$)|openapi[.]json$)/;

/** Whether a path is about the server, and not about one of its worlds. */
export function ofServer(path: string): boolean {
  return OF_SERVER.test(path);
}

/** The url of a path of the management API, in the space that is shown. */
export function urlOf(path: string): string {
  const id = space.value;
  if (id === '' || ofServer(path)) return mainUrlOf(path);
  return mainUrlOf(path.replace(/^\/api\//, `/api/spaces/${encodeURIComponent(id)}/`));
}

function headers(): Record<string, string> {
  return token.value === '' ? {} : { authorization: `Bearer ${token.value}` };
}

/** How the management API is asked. */
export interface Call {
  /** A question that is too long for an address, such as what a mock would change. */
  readonly question?: unknown;
  readonly signal?: AbortSignal;
  /** Is given the place at which what comes next begins, of a list of several replicas. */
  readonly onAfter?: (place: string) => void;
  /** Is told what the answer warns of, such as a mock that was taken and that a contract does not allow. */
  readonly onWarnings?: (warnings: readonly string[]) => void;
}

/** A request of the management API, as it goes over the wire. */
interface Sent {
  readonly method: string;
  readonly body?: unknown;
  /** What is sent as it is, in place of a body of JSON. */
  readonly file?: Blob | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onAfter?: Call['onAfter'];
  readonly onWarnings?: Call['onWarnings'];
}

function send(path: string, { method, body, file, signal: stop }: Sent): Promise<Response> {
  const content = file ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = file === undefined ? 'application/json' : 'application/octet-stream';
  return fetch(urlOf(path), {
    method,
    headers: { ...headers(), ...(content === undefined ? {} : { 'content-type': type }) },
    ...(content === undefined ? {} : { body: content }),
    ...(stop === undefined ? {} : { signal: stop }),
  });
}

/** Makes a request, whatever it does; see `perform` for those that change something. @throws ApiError, TypeError */
export async function request<Answer>(path: string, sent: Sent): Promise<Answer> {
  const response = await send(path, sent);
  const place = response.headers.get('backlot-after');
  if (place !== null) sent.onAfter?.(place);
  if (!response.ok) throw await errorOf(response);
  sent.onWarnings?.(readWarnings(response.headers.get('backlot-warning') ?? ''));
  return (await response.json()) as Answer;
}

/** The texts of the header `Backlot-Warning`, each in quotation marks, with percent signs for what is not ASCII. */
function readWarnings(header: string): readonly string[] {
  return (header.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((text) =>
    decodeURIComponent(JSON.parse(text) as string),
  );
}

/**
 * Asks the management API, and changes nothing.
 *
 * @throws ApiError when it refuses; TypeError when it cannot be reached
 */
export function api<Answer = unknown>(
  path: string,
  { question, signal: stop, onAfter, onWarnings }: Call = {},
): Promise<Answer> {
  const method = question === undefined ? 'GET' : 'POST';
  return request<Answer>(path, {
    method,
    body: question,
    signal: stop,
    ...(onAfter && { onAfter }),
    ...(onWarnings && { onWarnings }),
  });
}

/** An answer of any status as text. @throws TypeError when the server cannot be reached */
export async function apiText(
  path: string,
  method: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await send(path, { method, body });
  if (response.status === 401) needsToken.value = true;
  return { status: response.status, text: await response.text() };
}

/** The bytes of an answer, such as an attachment, and the name that the server gives them. @throws ApiError, TypeError */
export async function apiFile(path: string): Promise<{ readonly name: string; readonly blob: Blob }> {
  const response = await send(path, { method: 'GET' });
  if (!response.ok) throw await errorOf(response);
  const [, name = 'backlot'] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { name, blob: await response.blob() };
}

async function errorOf(response: Response): Promise<ApiError> {
  if (response.status === 401) needsToken.value = true;
  let fields: Record<string, unknown> = {};
  try {
    fields = (await response.json()) as Record<string, unknown>;
  } catch {
    // No JSON: something else than the server has answered.
  }
  const text =
    typeof fields['error'] === 'string' ? fields['error'] : `the server answered ${response.status}`;
  const details = Array.isArray(fields['details']) ? (fields['details'] as Problem[]) : [];
  return new ApiError(text, response.status, details, fields);
}

/** One server-sent event. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Reads server-sent events by fetch: unlike an EventSource it sends the token.
 *
 * @param onEvents - is given those that have come together
 * @param onOpen - what is done before any is read, once none that comes can be missed
 * @returns when the server has ended it. @throws ApiError, TypeError
 */
export async function readEvents(
  path: string,
  stop: AbortSignal,
  onEvents: (events: readonly StreamEvent[]) => void,
  onOpen?: () => Promise<void>,
): Promise<void> {
  const response = await fetch(urlOf(path), { headers: headers(), signal: stop });
  if (!response.ok || response.body === null) throw await errorOf(response);
  await onOpen?.();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const end = rest.lastIndexOf('\n\n');
    if (end < 0) continue;
    onEvents(
      rest
        .slice(0, end)
        .split('\n\n')
        .map(parseEvent)
        .filter((event) => event !== undefined),
    );
    rest = rest.slice(end + 2);
  }
}

function parseEvent(text: string): StreamEvent | undefined {
  let event = 'message';
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('data: ')) data.push(line.slice(6));
    else if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('id: ')) id = line.slice(4);
  }
  return data.length === 0 ? undefined : { event, id, data: data.join('\n') };
}
