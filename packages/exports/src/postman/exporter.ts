import { STATUS_CODES } from 'node:http';
import type { Exporter, ExportNotes } from '@backlot/core/plugin';
import type { HttpAnswer, HttpCase } from '../http/http-case.js';
import { noteRest, noteTemplates } from '../http/note-rest.js';
import { readCases } from '../http/read-cases.js';
import { listPieces } from '../shared/json-pieces.js';
import type { Match } from '../shared/match.js';
import { withoutAbsent, type Tree } from '../shared/trees.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** A collection of Postman, with the answers of mocks as examples. */
export const postman: Exporter = {
  format: 'postman',
  title: 'Postman collection 2.1',
  contentType: 'application/json',
  extension: '.postman_collection.json',
  *write(source, notes) {
    const url = source.kind('http')?.place?.url ?? 'http://localhost';
    const head = {
      info: { name: 'Mocks of Backlot', schema: SCHEMA },
      variable: [{ key: 'baseUrl', value: url }],
    };
    yield* listPieces(items(readCases(source, notes), notes), {
      before: `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "item": [`,
      after: '\n]}\n',
    });
  },
};

function* items(
  cases: Iterable<HttpCase | undefined>,
  notes: ExportNotes,
): Generator<Tree | undefined, void, undefined> {
  for (const one of cases) {
    const item = one && itemOf(one, notes);
    if (item !== undefined) notes.written('requests');
    yield item;
  }
}

function itemOf(one: HttpCase, notes: ExportNotes): Tree | undefined {
  const { id, path } = one;
  if (path.is === 'any' || path.is === 'regex') {
    notes.refused(id, 'a request has one path, and that of the mock is a pattern; the mock is left out');
    return undefined;
  }
  noteRest(one, notes, []);
  noteTemplates(one, notes);
  if (one.method === undefined) notes.approximated(id, 'a mock for any method is written as a GET');
  const request = requestOf(one, path.path, notes);
  return {
    name: nameOf(one),
    request,
    response: one.answers.map((answer, index) => exampleOf(answer, index, request, id, notes)),
  };
}

/** What is imported is called by its request and its example: the name of the request alone, where an id is of that form. */
function nameOf({ id, answers }: HttpCase): string {
  const [answer, ...others] = answers;
  const end = `-${answer?.status}`;
  return others.length === 0 && id.length > end.length && id.endsWith(end) ? id.slice(0, -end.length) : id;
}

function requestOf(one: HttpCase, path: string, notes: ExportNotes): Tree {
  const { id } = one;
  const segments = path.slice(1).split('/');
  if (segments.some((segment) => /\{/.test(segment) && !/^\{[^{}]+\}$/.test(segment)))
    notes.approximated(id, 'a name that is a part of a segment is written as it is');
  const parts = segments.map((segment) => segment.replace(/^\{([^{}]+)\}$/, ':$1'));
  const named = segments.flatMap((segment) => /^\{([^{}]+)\}$/.exec(segment)?.[1] ?? []);
  const pairs = (list: HttpCase['query']): readonly { key: string; value: string }[] =>
    list.flatMap(([name, match]) => {
      const value = valueOf(match, id, notes);
      return value === undefined ? [] : [{ key: name, value }];
    });
  const query = pairs(one.query);
  const text = query
    .map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join('&');
  return withoutAbsent({
    method: one.method ?? 'GET',
    header: pairs(one.headers),
    url: withoutAbsent({
      raw: `{{baseUrl}}/${parts.join('/')}${text === '' ? '' : `?${text}`}`,
      host: ['{{baseUrl}}'],
      path: parts,
      query: query.length === 0 ? undefined : query,
      variable: named.length === 0 ? undefined : named.map((key) => ({ key, value: '1' })),
    }),
    body: bodyOf(one, notes),
  });
}

/** A value that a pattern takes; empty where any will do, and `undefined` for none. */
function valueOf(match: Match, id: string, notes: ExportNotes): string | undefined {
  if (match.is === 'absent') return undefined;
  if (match.is === 'equals') return match.text;
  if (match.is !== 'present' && match.is !== 'anything')
    notes.approximated(id, 'a pattern is no value: it is left to be filled in');
  return '';
}

function bodyOf({ body, form, id }: HttpCase, notes: ExportNotes): Tree | undefined {
  if (form.length > 0)
    return {
      mode: 'urlencoded',
      urlencoded: form.map(([key, match]) => ({ key, value: valueOf(match, id, notes) ?? '' })),
    };
  if (body === undefined) return undefined;
  if (body.is === 'equals') return { mode: 'raw', raw: body.text };
  if (body.is === 'json') {
    if (body.isPart) notes.approximated(id, 'a part of a body is written as the whole of it');
    return {
      mode: 'raw',
      raw: JSON.stringify(body.value, null, 2),
      options: { raw: { language: 'json' } },
    };
  }
  notes.approximated(id, 'a body that is a pattern is left to be filled in');
  return undefined;
}

function exampleOf(answer: HttpAnswer, index: number, request: Tree, id: string, notes: ExportNotes): Tree {
  const { status, headers, body, type } = answer;
  if (body.is === 'bytes') notes.approximated(id, 'the bytes of a body are left out');
  const header = headers.map(([key, value]) => ({ key, value }));
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  if (!hasType && body.is === 'json') header.push({ key: 'Content-Type', value: 'application/json' });
  return withoutAbsent({
    name: index === 0 ? String(status) : `${status} (${index + 1})`,
    originalRequest: request,
    status: STATUS_CODES[status] ?? 'Unknown',
    code: status,
    _postman_previewlanguage: /json/.test(type) ? 'json' : 'text',
    header,
    body: body.is === 'json' ? JSON.stringify(body.value, null, 2) : body.is === 'text' ? body.text : '',
  });
}
