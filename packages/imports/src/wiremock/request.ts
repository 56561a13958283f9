import type { ImportNotes } from '@backlot/core/plugin';
import { exactly, exactlyAll, literalPath } from '../shared/answer.js';
import { targetOf } from '../shared/target.js';
import { listOf, pointTo, textOf, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { pathPattern } from '../openapi/paths.js';
import { patternOf } from './pattern.js';

/** Which requests a stub matches. */
export interface StubRequest {
  readonly fields: Tree;
  /** Whether the path has names that templates of the answer can use. */
  readonly templateParams: boolean;
}

/** The request of a stub as one of a mock; `undefined` when it cannot be matched. */
export function requestOf(given: unknown, notes: ImportNotes, place: string): StubRequest | undefined {
  const request = treeOf(given);
  const method = textOf(request['method'])?.toUpperCase();
  const path = pathOf(request, notes, place);
  if (path === undefined) return undefined;
  if (request['customMatcher'] !== undefined) {
    notes.refused(place, 'a stub with a custom matcher is left out: its code is not in the file');
    return undefined;
  }
  for (const name of ['host', 'port', 'scheme', 'clientIp'])
    if (request[name] !== undefined) notes.approximated(pointTo(place, name), `${name} is not looked at`);
  if (request['multipartPatterns'] !== undefined)
    notes.approximated(pointTo(place, 'multipartPatterns'), 'parts of a multipart body are not looked at');
  const map = (name: string): Tree | undefined => patternMap(request[name], notes, pointTo(place, name));
  const query = { ...path.query, ...map('queryParameters') };
  const basic = treeOf(request['basicAuthCredentials'] ?? request['basicAuth']);
  const bodies = listOf(request['bodyPatterns']).flatMap((one, index) => {
    const pattern = patternOf(one, notes, pointTo(pointTo(place, 'bodyPatterns'), index));
    return pattern === undefined ? [] : [pattern];
  });
  return {
    templateParams: path.hasNames,
    fields: withoutAbsent({
      method: method === 'ANY' || method === undefined ? undefined : method,
      ...path.fields,
      headers: map('headers'),
      query: Object.keys(query).length === 0 ? undefined : query,
      cookies: map('cookies'),
      form: map('formParameters'),
      body: bodies.length === 0 ? undefined : bodies.length === 1 ? bodies[0] : { all_of: bodies },
      auth:
        basic['username'] === undefined
          ? undefined
          : {
              type: 'basic',
              username: exactly(textOf(basic['username']) ?? ''),
              password: exactly(textOf(basic['password']) ?? ''),
            },
    }),
  };
}

interface StubPath {
  readonly fields: Tree;
  readonly query?: Tree | undefined;
  readonly hasNames: boolean;
}

function pathOf(request: Tree, notes: ImportNotes, place: string): StubPath | undefined {
  const url = textOf(request['url']);
  if (url !== undefined) {
    const target = targetOf(url);
    if (target === undefined) {
      notes.refused(pointTo(place, 'url'), 'a stub whose url cannot be read is left out');
      return undefined;
    }
    return { fields: literalPath(target.path), query: exactlyAll(target.query), hasNames: false };
  }
  const urlPath = textOf(request['urlPath']);
  if (urlPath !== undefined) return { fields: literalPath(urlPath), hasNames: false };
  const template = textOf(request['urlPathTemplate']);
  if (template !== undefined) {
    const pattern = pathPattern(template);
    if (pattern !== undefined) return { fields: { path: pattern }, hasNames: true };
    notes.refused(pointTo(place, 'urlPathTemplate'), 'a stub whose path template is none is left out');
    return undefined;
  }
  const regex = textOf(request['urlPathPattern']) ?? textOf(request['urlPattern']);
  if (regex === undefined) return { fields: {}, hasNames: false };
  if (request['urlPattern'] === undefined) return { fields: { path_regex: whole(regex) }, hasNames: false };
  // An expression over path and query is cut where the query begins.
  const cut = /^(.*?)\\\?(.*)$/s.exec(regex);
  if (cut !== null)
    notes.approximated(
      pointTo(place, 'urlPattern'),
      'of an expression over path and query only the path is looked at',
    );
  return { fields: { path_regex: whole(cut?.[1] ?? regex) }, hasNames: false };
}

/** An expression that must match all of a text, as WireMock's must. */
export function whole(regex: string): string {
  return `^(?:${regex})$`;
}

function patternMap(given: unknown, notes: ImportNotes, place: string): Tree | undefined {
  const entries = Object.entries(treeOf(given)).flatMap(([name, value]) => {
    const pattern = patternOf(value, notes, pointTo(place, name));
    return pattern === undefined ? [] : [[name, pattern] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
