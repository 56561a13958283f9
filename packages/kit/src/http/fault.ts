import { encodeBody, hasNoContent, HttpAnswer } from './answer.js';
import { invalid, type Problem } from '@backlot/core/plugin';
import { truncatedLength, type BrokenForm, type LostForm } from './broken.js';
import { cleanHeaderValue, makeHeaders, isHeaderName, isHeaderValue, type AnswerHeaders } from './headers.js';

/** Header fields as a fault holds them. */
type FaultHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The own fields of a fault, for kinds that answer over HTTP. */
export interface HttpFaultFields {
  readonly status?: number;
  readonly body?: string;
  /** The body as a JSON value, in place of `body`. */
  readonly json?: unknown;
  readonly headers?: FaultHeaders;
  readonly abort?: boolean;
  readonly truncate_body?: number;
  readonly broken?: BrokenForm;
}

/** The values of status and body that a fault does not give. */
export const DEFAULT_HTTP_FAULT = { status: 503, body: '{"error":"fault injected"}' } as const;

/**
 * Makes the answer of a fault.
 *
 * @param fault - its fields, the kind's defaults filled in
 * @param given - only the fields that were given
 * @param own - makes what would have been answered without it, which a fault that only truncates spoils
 */
export function faultAnswer(
  fault: HttpFaultFields,
  given: HttpFaultFields,
  own: () => HttpAnswer | undefined,
): HttpAnswer {
  const status = fault.status ?? DEFAULT_HTTP_FAULT.status;
  const isCut = given.truncate_body !== undefined || given.broken === 'truncated';
  const spoiled = isCut && given.body === undefined && given.json === undefined ? own() : undefined;
  if (spoiled !== undefined) {
    const merged = new HttpAnswer(
      given.status === undefined ? spoiled.status : status,
      spoiled.headers,
      spoiled.body,
    );
    return given.headers === undefined ? merged : addHeaders(given.headers, merged);
  }
  const text = faultText(fault) ?? DEFAULT_HTTP_FAULT.body;
  const body = text === '' || hasNoContent(status) ? undefined : encodeBody(text);
  const headers = makeHeaders();
  if (body !== undefined)
    headers['Content-Type'] = isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
  if (!hasNoContent(status)) headers['Content-Length'] = body?.length ?? 0;
  const answer = new HttpAnswer(status, headers, body);
  return given.headers === undefined ? answer : addHeaders(given.headers, answer);
}

/** The text of the body of a fault: its JSON value, which stands above a default, else its text. */
export function faultText({ body, json }: Pick<HttpFaultFields, 'body' | 'json'>): string | undefined {
  return json === undefined ? body : JSON.stringify(json);
}

/** The fault's headers over those of the answer. */
function addHeaders(given: FaultHeaders, answer: HttpAnswer): HttpAnswer {
  const headers: AnswerHeaders = makeHeaders();
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  for (const [name, value] of Object.entries(answer.headers))
    if (!names.has(name.toLowerCase())) headers[name] = value;
  for (const [name, value] of Object.entries(given)) {
    headers[name] = typeof value === 'string' ? cleanHeaderValue(value) : value.map(cleanHeaderValue);
  }
  return new HttpAnswer(answer.status, headers, answer.body);
}

/** What is wrong with a fault beyond its schema, each problem with its place; an empty list when nothing is. */
export function faultProblems({
  body,
  json,
  headers,
  abort,
  broken,
  truncate_body: bytes,
}: HttpFaultFields): readonly Problem[] {
  const problems = headerProblems(headers).map((message) => ({ path: '/headers', message }));
  problems.push(...bodyProblems({ body, json }));
  if (broken !== undefined && abort === true && broken !== 'reset')
    problems.push({ path: '/broken', message: `${broken} cannot stand beside abort, which is reset` });
  if (broken !== undefined && bytes !== undefined && broken !== 'truncated')
    problems.push({
      path: '/broken',
      message: `${broken} cannot stand beside truncate_body, which is truncated`,
    });
  return problems;
}

/** What is wrong with the body of a fault: it is a text or a JSON value. */
export function bodyProblems({
  body,
  json,
}: {
  readonly body?: string | undefined;
  readonly json?: unknown;
}): readonly Problem[] {
  if (body === undefined || json === undefined) return [];
  return [
    { path: '/json', message: 'cannot stand beside body; each says what the answer carries, so leave one' },
  ];
}

/** @throws BacklotError `invalid` for a fault of which {@link faultProblems} has something to say */
export function checkHttpFault(fault: HttpFaultFields): void {
  const problems = faultProblems(fault);
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
}

/** How many bytes of an answer's body a fault sends before it drops the connection; `undefined` for all of them. */
export function bytesBeforeEnd(
  { broken, truncate_body: bytes }: HttpFaultFields,
  answer: HttpAnswer,
): number | undefined {
  if (bytes !== undefined) return bytes;
  return broken === 'truncated' ? truncatedLength(answer.body?.length ?? 0) : undefined;
}

/** The form in which a fault loses the answer; `undefined` when it sends something of it. */
export function lostFormOf({
  abort = false,
  broken,
}: {
  readonly abort?: boolean;
  readonly broken?: BrokenForm | undefined;
}): LostForm | undefined {
  if (abort) return 'reset';
  return broken === 'truncated' ? undefined : broken;
}

/** What is wrong with the headers of a fault, a sentence per problem; an empty list when nothing is. */
export function headerProblems(definitions: FaultHeaders | undefined): readonly string[] {
  const problems: string[] = [];
  for (const [name, value] of Object.entries(definitions ?? {})) {
    if (!isHeaderName(name))
      problems.push(`${JSON.stringify(name)} is not a header name; use letters, digits and hyphens`);
    if (['content-length', 'transfer-encoding', 'trailer'].includes(name.toLowerCase())) {
      problems.push(`header ${name} cannot be given here, because it is made to fit the body`);
    }
    const bad = (typeof value === 'string' ? [value] : value).find((text) => !isHeaderValue(text));
    if (bad !== undefined) {
      problems.push(
        `the value ${JSON.stringify(bad)} of header ${name} holds a line break or another control character`,
      );
    }
  }
  return problems;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
