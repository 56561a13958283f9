import { literal, literalJson } from './literal.js';
import { integerOf, withoutAbsent, type Tree } from '@backlot/contracts';

/** Headers that say how a body came over a connection: they are made anew for each answer. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'matched-stub-id',
  'transfer-encoding',
  'upgrade',
]);

/** The bodies that an answer may have. */
export interface AnswerBody {
  readonly body?: string;
  readonly json?: unknown;
  readonly body_base64?: string;
}

/** A status that answers may have, for one that a file names; `undefined` for one that they may not have. */
export function statusOf(value: unknown): number | undefined {
  const status = integerOf(value, 100, 599);
  return status === 101 ? undefined : status;
}

/** Headers of an answer, out of names and values in order; those of the connection are left out. */
export function headersOf(
  entries: Iterable<readonly [name: string, value: string]>,
): Readonly<Record<string, string | readonly string[]>> | undefined {
  const headers = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    if (CONNECTION_HEADERS.has(key) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) continue;
    const clean = value.replaceAll(/[\r\n\0]+/g, ' ');
    const known = headers.get(key);
    if (known === undefined) headers.set(key, { name, values: [clean] });
    else known.values.push(clean);
  }
  if (headers.size === 0) return undefined;
  return Object.fromEntries(
    Array.from(headers.values(), ({ name, values }) => [
      name,
      values.length === 1 ? (values[0] ?? '') : values,
    ]),
  );
}

/** The content type among headers. */
export function typeOf(headers: ReturnType<typeof headersOf>): string | undefined {
  const found = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

/** Whether a content type is that of JSON. */
export function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /[/+]json\b/i.test(type);
}

/** A text as the body of an answer that is sent as it is; JSON as a value, which people can read and change. */
export function literalBody(text: string, type: string | undefined): AnswerBody {
  if (text === '') return {};
  if (isJsonType(type) && text.length < 1_000_000) {
    try {
      const value = JSON.parse(text) as unknown;
      // A value is written anew; a text that would change by that stays a text.
      if (typeof value === 'object' && value !== null && isPlainJson(text))
        return { json: literalJson(value) };
    } catch {
      // It is sent as the text that it is.
    }
  }
  return { body: literal(text) };
}

/** Whether numbers of a JSON text stay the same when it is read and written. */
function isPlainJson(text: string): boolean {
  return !/\d{16}|\d[eE]|\.\d*0\b/.test(text);
}

/** A mock of HTTP without what it does not have. */
export function httpMock(mock: {
  readonly id: string;
  readonly request: Tree;
  readonly response?: Tree;
  readonly [field: string]: unknown;
}): Tree {
  const { request, response, ...rest } = mock;
  return withoutAbsent({
    ...rest,
    request: withoutAbsent(request),
    response: response === undefined ? undefined : withoutAbsent(response),
  });
}

/** A pattern that is just this text, whatever it looks like. */
export function exactly(text: string): string | Tree {
  return text === '' || /[*\\]|^re:/.test(text) ? { equals: text } : text;
}

/** Patterns by name that are just these texts; `undefined` when there are none. */
export function exactlyAll(entries: Iterable<readonly [string, string]>): Tree | undefined {
  const all = [...entries];
  return all.length === 0 ? undefined : Object.fromEntries(all.map(([name, text]) => [name, exactly(text)]));
}

/** What a path is as a pattern that matches just this path. */
export function literalPath(path: string): Tree {
  let decoded = path;
  try {
    decoded = decodeURI(path);
  } catch {
    // It stays as it is written.
  }
  if (!/[*{}]/.test(decoded)) return { path: decoded };
  return { path_regex: `^${escapeRegex(decoded)}$` };
}

/** A text as a regular expression that matches just this text. */
export function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
