import { encodeBody, hasNoContent, HttpAnswer } from './answer.js';
import { cleanHeaderValue, makeHeaders, isHeaderName, isHeaderValue, type AnswerHeaders } from './headers.js';

/** Header fields as a fault holds them. */
type FaultHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The own fields of a fault, for kinds that answer over HTTP. */
export interface HttpFaultFields {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: FaultHeaders;
  readonly abort?: boolean;
  readonly truncate_body?: number;
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
  const spoiled = given.truncate_body !== undefined && given.body === undefined ? own() : undefined;
  if (spoiled !== undefined) {
    const merged = new HttpAnswer(
      given.status === undefined ? spoiled.status : status,
      spoiled.headers,
      spoiled.body,
    );
    return given.headers === undefined ? merged : addHeaders(given.headers, merged);
  }
  const text = fault.body ?? DEFAULT_HTTP_FAULT.body;
  const body = text === '' || hasNoContent(status) ? undefined : encodeBody(text);
  const headers = makeHeaders();
  if (body !== undefined)
    headers['Content-Type'] = isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
  if (!hasNoContent(status)) headers['Content-Length'] = body?.length ?? 0;
  const answer = new HttpAnswer(status, headers, body);
  return given.headers === undefined ? answer : addHeaders(given.headers, answer);
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
