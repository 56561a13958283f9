import { invalid, type ExportNotes, type ExportSource } from '@backlot/core/plugin';
import { escapeRegex, matchOf, type Match } from '../shared/match.js';
import { writtenJson, writtenOf } from '../shared/template.js';
import { isTree, mocksOf, textOf, treeOf, treesOf, type Tree } from '../shared/trees.js';
import type { AnswerBody, HttpAnswer, HttpCase, PathMatch } from './http-case.js';

const UNSAID = ['body_json', 'parts', 'no_other_query'];

/**
 * The mocks of HTTP, in the order in which they are asked; nothing where others may be let in.
 *
 * @throws BacklotError `invalid` when HTTP is not enabled, or has no mocks
 */
export function* readCases(
  source: ExportSource,
  notes: ExportNotes,
): Generator<HttpCase | undefined, void, undefined> {
  if (source.kind('http') === undefined) throw invalid('HTTP is not enabled: there are no mocks to write');
  const mocks = mocksOf(source.configuration(), 'http');
  if (mocks.length === 0) throw invalid('there are no mocks of HTTP to write');
  const ordered = mocks.toSorted((a, b) => priorityOf(b) - priorityOf(a));
  for (const mock of ordered) {
    yield* casesOf(mock, notes);
    yield undefined;
  }
}

/** The priority of a mock, 0 where it has none. */
export function priorityOf(mock: Tree): number {
  return typeof mock['priority'] === 'number' ? mock['priority'] : 0;
}

function* casesOf(mock: Tree, notes: ExportNotes): Generator<HttpCase, void, undefined> {
  const id = textOf(mock['id']) ?? 'mock';
  if (mock['respond'] !== undefined) {
    notes.refused(id, 'a mock that is answered by a function is left out: its code is in another file');
    return;
  }
  if (mock['stream'] !== undefined || treeOf(mock['response'])['stream'] !== undefined) {
    notes.refused(id, 'a mock that is answered by a stream is left out');
    return;
  }
  const request = treeOf(mock['request']);
  const alternatives = treesOf(request['any_of'] ?? {});
  if (alternatives.length > 1)
    notes.approximated(id, 'a mock with "any_of" is written once for each of its requests');
  const answers = answersOf(mock);
  if (mock['fault'] !== undefined)
    notes.approximated(id, 'the fault of a mock is left out: it fires by chance');
  for (const [index, one] of alternatives.entries()) {
    const whole: Tree = { ...request, ...one };
    const path = pathOf(whole);
    yield {
      id: alternatives.length > 1 ? `${id}-${index + 1}` : id,
      method: methodOf(whole),
      path,
      query: matchesOf(whole['query']),
      headers: matchesOf(whole['headers']),
      cookies: matchesOf(whole['cookies']),
      form: matchesOf(whole['form']),
      body: bodyMatch(whole['body']),
      auth: isTree(whole['auth']) ? whole['auth'] : undefined,
      unsaid: UNSAID.filter((field) => whole[field] !== undefined),
      answers,
      mock,
    };
  }
}

function methodOf(request: Tree): string | undefined {
  const method = textOf(request['method']);
  return method === undefined || method === '*' || method === '' ? undefined : method.toUpperCase();
}

function bodyMatch(source: unknown): Match | undefined {
  if (source === undefined || source === '') return undefined;
  return matchOf(source);
}

function matchesOf(fields: unknown): HttpCase['query'] {
  return Object.entries(treeOf(fields)).map(([name, source]) => [name, matchOf(source)]);
}

/** A path of a mock: `{name}` and `*` take one segment, a trailing `/*` all below. */
function pathOf(request: Tree): PathMatch {
  const regex = textOf(request['path_regex']);
  if (regex !== undefined) return { is: 'regex', regex };
  const path = textOf(request['path']);
  if (path === undefined || path === '' || path === '*' || path === '/*') return { is: 'any' };
  if (path.startsWith('re:')) return { is: 'regex', regex: path.slice(3) };
  if (path.endsWith('/*') || /\*/.test(path)) {
    const below = path.endsWith('/*');
    const parts = (below ? path.slice(0, -2) : path).split('/').map((segment) =>
      segment
        .split(/\*|\{[^{}/]+\}/)
        .map(escapeRegex)
        .join('[^/]+'),
    );
    return { is: 'regex', regex: `^${parts.join('/')}${below ? '(?:/.*)?' : ''}$` };
  }
  const names = Array.from(path.matchAll(/\{([^{}/]+)\}/g), ([, name = '']) => name);
  return names.length === 0 ? { is: 'plain', path } : { is: 'names', path, names };
}

function answersOf(mock: Tree): readonly HttpAnswer[] {
  const response = treeOf(mock['response']);
  const sequence = treesOf(mock['sequence'] ?? []);
  const all = sequence.length === 0 ? [response] : sequence.map((one) => merged(response, one));
  return all.map((one) => answerOf(one, mock['delay']));
}

/** What an entry of a sequence leaves out comes from the answer of the mock; it has one body. */
function merged(response: Tree, entry: Tree): Tree {
  const bodies = ['body', 'json', 'body_base64'];
  const base = bodies.some((field) => entry[field] !== undefined)
    ? Object.fromEntries(Object.entries(response).filter(([field]) => !bodies.includes(field)))
    : response;
  return { ...base, ...entry };
}

function answerOf(response: Tree, delay: unknown): HttpAnswer {
  let hasTemplates = false;
  const headers = Object.entries(treeOf(response['headers'])).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).map((one): [string, string] => {
      const { text, isTemplate } = writtenOf(String(one));
      hasTemplates ||= isTemplate;
      return [name, text];
    }),
  );
  const body = bodyOf(response);
  const written = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const { status, headers: _headers, body: _body, json: _json, body_base64: _bytes, ...more } = response;
  return {
    status: typeof status === 'number' ? status : 200,
    headers,
    hasTemplates,
    type: (written?.split(';')[0] ?? defaultType(body)).trim().toLowerCase(),
    body,
    more: { ...more, ...(more['delay'] === undefined && delay !== undefined ? { delay } : {}) },
  };
}

function defaultType(body: AnswerBody): string {
  return { none: '', json: 'application/json', text: 'text/plain', bytes: 'application/octet-stream' }[
    body.is
  ];
}

function bodyOf(response: Tree): AnswerBody {
  if (response['json'] !== undefined) return { is: 'json', ...writtenJson(response['json']) };
  const base64 = textOf(response['body_base64']);
  if (base64 !== undefined) return { is: 'bytes', base64 };
  const body = textOf(response['body']);
  return body === undefined || body === '' ? { is: 'none' } : { is: 'text', ...writtenOf(body) };
}
