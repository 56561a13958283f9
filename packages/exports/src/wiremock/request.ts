import type { ExportNotes } from '@backlot/core/plugin';
import type { HttpCase } from '../http/http-case.js';
import { matchOf, type Match } from '../shared/match.js';
import { textOf, treeOf, withoutAbsent, type Tree } from '../shared/trees.js';
import { matcherOf, wholeRegex } from './pattern.js';

/** The request of a stub. */
export function requestOf(one: HttpCase, notes: ExportNotes): Tree {
  const { id } = one;
  const map = (fields: HttpCase['query']): Tree | undefined => {
    const entries = fields.flatMap(([name, match]) => {
      const matcher = matcherOf(match, notes, id);
      return matcher === undefined ? [] : [[name, matcher] as const];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  const auth = authOf(one, notes);
  return withoutAbsent({
    method: one.method ?? 'ANY',
    ...pathOf(one, notes),
    headers: merge(map(one.headers), map(auth.headers)),
    queryParameters: merge(map(one.query), map(auth.query)),
    cookies: map(one.cookies),
    formParameters: map(one.form),
    basicAuthCredentials: auth.basic,
    bodyPatterns: bodyPatterns(one, notes),
  });
}

function pathOf({ path, id, mock }: HttpCase, notes: ExportNotes): Tree {
  switch (path.is) {
    case 'any':
      return {};
    case 'plain':
      return { urlPath: path.path };
    case 'names':
      return { urlPathTemplate: path.path };
    case 'regex':
      if (treeOf(mock['request'])['path_regex'] === undefined)
        notes.approximated(
          id,
          'a path that is a pattern is an expression in WireMock, and is read again as "path_regex"',
        );
      return { urlPathPattern: wholeRegex(path.regex) };
  }
}

function bodyPatterns({ body, id }: HttpCase, notes: ExportNotes): readonly Tree[] | undefined {
  if (body === undefined) return undefined;
  const all = body.is === 'all' ? body.of : [body];
  const matchers = all.map((one) => matcherOf(one, notes, id)).filter((one) => one !== undefined);
  return matchers.length === 0 ? undefined : matchers;
}

interface StubAuth {
  readonly headers: readonly (readonly [string, Match])[];
  readonly query: readonly (readonly [string, Match])[];
  readonly basic?: Tree;
}

/** Credentials as matchers of what carries them. */
function authOf({ auth, id }: HttpCase, notes: ExportNotes): StubAuth {
  const none = { headers: [], query: [] };
  if (auth === undefined) return none;
  const { type } = auth;
  const plain = (source: unknown): string | undefined => {
    const match = matchOf(source);
    return match.is === 'equals' ? match.text : undefined;
  };
  const [username, password] = [plain(auth['username']), plain(auth['password'])];
  if (type === 'basic' && username !== undefined && password !== undefined)
    return { ...none, basic: { username, password } };
  if (type === 'bearer' && auth['jwt'] === undefined) {
    const token = plain(auth['token']);
    if (auth['token'] === undefined || token !== undefined)
      return {
        ...none,
        headers: [
          [
            'Authorization',
            token === undefined
              ? { is: 'prefix', text: 'Bearer ' }
              : { is: 'equals', text: `Bearer ${token}` },
          ],
        ],
      };
  }
  if (type === 'api_key') {
    const key = auth['value'] === undefined ? ({ is: 'present' } as const) : matchOf(auth['value']);
    const query = textOf(auth['query']);
    return query === undefined
      ? { ...none, headers: [[textOf(auth['header']) ?? 'X-API-Key', key]] }
      : { ...none, query: [[query, key]] };
  }
  notes.approximated(id, `credentials of the type "${String(type)}" are not asked for as they are here`);
  return none;
}

function merge(one: Tree | undefined, other: Tree | undefined): Tree | undefined {
  return one === undefined ? other : { ...one, ...other };
}
