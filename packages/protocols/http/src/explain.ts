import { stringify } from 'node:querystring';
import { invalid, type Problem } from '@backlot/core/plugin';
import { HttpMessage } from './message.js';

/**
 * Makes a request of what `POST /api/explain/http` is given: `method`, `path` (which may hold a query), `headers`,
 * `query`, `body`, as the journal shows them.
 *
 * @throws BacklotError `invalid` with a problem per field
 */
export function explainMessage(entry: Readonly<Record<string, unknown>>): HttpMessage {
  const problems: Problem[] = [];
  const text = (name: string, instead: string): string => {
    const value = entry[name];
    if (value === undefined) return instead;
    if (typeof value === 'string') return value;
    problems.push({ path: `/${name}`, message: `${name} is ${JSON.stringify(value)}; it must be a text` });
    return instead;
  };
  const method = text('method', 'GET').toUpperCase();
  const path = text('path', '/');
  const query = readFields(entry['query'], 'query', problems);
  const headers = readFields(entry['headers'], 'headers', problems);
  const body = readBody(entry, problems);
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  const parameters = stringify(
    Object.assign(Object.create(null) as Record<string, string[]>, Object.fromEntries(query)),
  );
  return new HttpMessage({
    method,
    target: parameters === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${parameters}`,
    rawHeaders: headers.flatMap(([name, values]) => values.flatMap((value) => [name, value])),
    remote: '',
    body,
    auth: undefined,
    isSecure: false,
    preflight: false,
  });
}

/**
 * Makes the request of a line such as `GET /users/7?page=2`; `GET` may be left out, and a body may follow.
 *
 * @throws BacklotError `invalid` when it has no path
 */
export function readRequestLine(line: string): Readonly<Record<string, unknown>> {
  const [, method, path, body] =
    /^(?:([A-Za-z][\w-]*)\s+)?((?:\/|\*$|https?:\/\/)\S*)(?:\s+HTTP\/\d(?:\.\d)?(?=\s|$))?(?:\s+([^]*))?$/.exec(
      line,
    ) ?? [];
  if (path === undefined) {
    throw invalid(
      `${JSON.stringify(line)} is no request; it must be a method and a path, as in "GET /users/7"`,
    );
  }
  return { path, ...(method === undefined ? {} : { method }), ...(body === undefined ? {} : { body }) };
}

function readBody(entry: Readonly<Record<string, unknown>>, problems: Problem[]): Buffer | undefined {
  const { body, body_encoding: encoding } = entry;
  if (encoding !== undefined && encoding !== 'base64') {
    problems.push({
      path: '/body_encoding',
      message: `body_encoding is ${JSON.stringify(encoding)}; it can only be "base64"`,
    });
  }
  if (body === undefined) return undefined;
  // A JSON body may be given as it is, because nobody likes to write JSON inside of a JSON text.
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  return body === '' ? undefined : Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8');
}

function readFields(value: unknown, name: string, problems: Problem[]): [string, string[]][] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push({ path: `/${name}`, message: `${name} must be an object of texts` });
    return [];
  }
  return Object.entries(value as Readonly<Record<string, unknown>>).flatMap(
    ([key, given]): [string, string[]][] => {
      const values = Array.isArray(given) ? given : [given];
      if (values.every((each): each is string => typeof each === 'string')) return [[key, values]];
      problems.push({
        path: `/${name}/${key}`,
        message: `${JSON.stringify(given)} must be a text or a list of texts`,
      });
      return [];
    },
  );
}
