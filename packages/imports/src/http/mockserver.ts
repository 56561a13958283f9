import type { Imported, Importer, ImportNotes } from '@backlot/core/plugin';
import {
  exactly,
  headersOf,
  httpMock,
  literalBody,
  literalPath,
  statusOf,
  typeOf,
  type AnswerBody,
} from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { literal, literalJson } from '../shared/literal.js';
import {
  delayOf,
  integerOf,
  isTree,
  listOf,
  memberOf,
  pointTo,
  textOf,
  treeOf,
  treesOf,
  type Tree,
} from '@backlot/contracts';
import { pathPattern } from '../openapi/paths.js';

const UNITS: Readonly<Record<string, number>> = { MILLISECONDS: 1, SECONDS: 1000, MINUTES: 60_000 };
const META = /[*+?()[\]|^$\\]|\.\*/;

/** Expectations of MockServer, one or a list as its initializer has them. */
export const mockserver: Importer = {
  format: 'mockserver',
  title: 'MockServer expectations',
  detect: ({ tree }) => (expectationsOf(tree).some(isExpectation) ? 'sure' : undefined),
  *convert({ tree }, notes): Generator<undefined, Imported, undefined> {
    const ids = new Ids();
    const mocks: Tree[] = [];
    for (const [index, one] of expectationsOf(tree).entries()) {
      yield;
      const place = Array.isArray(tree) ? `/${index}` : '';
      const mock =
        mocks.length < MOST_MOCKS && isExpectation(one) ? mockOf(one, ids, notes, place) : undefined;
      if (mock !== undefined) mocks.push(mock);
      else notes.refused(place, 'an expectation that is not answered by the file itself is left out');
    }
    return { protocols: { http: { mocks } } };
  },
};

function expectationsOf(tree: unknown): readonly Tree[] {
  return Array.isArray(tree) ? treesOf(tree) : isTree(tree) ? [tree] : [];
}

function isExpectation(one: Tree): boolean {
  return (
    isTree(one['httpRequest']) &&
    Object.keys(one).some((name) => /^http(Response|Error|Forward|Override|ResponseTemplate)/.test(name))
  );
}

function mockOf(one: Tree, ids: Ids, notes: ImportNotes, place: string): Tree | undefined {
  const request = requestOf(treeOf(one['httpRequest']), notes, pointTo(place, 'httpRequest'));
  const response = answerOf(one, notes, place);
  if (request === undefined || response === undefined) return undefined;
  const times = treeOf(one['times']);
  const life = treeOf(one['timeToLive']);
  const lives = Number(life['timeToLive']) * (UNITS[textOf(life['timeUnit']) ?? ''] ?? 0);
  const name =
    textOf(one['id']) ??
    `${(textOf(request['method']) ?? 'any').toLowerCase()}${textOf(request['path']) ?? ''}`;
  return httpMock({
    id: ids.take(name),
    priority: integerOf(one['priority'], -1_000_000, 1_000_000),
    times: times['unlimited'] === true ? undefined : integerOf(times['remainingTimes'], 1, 1_000_000_000),
    expires: life['unlimited'] === true ? undefined : delayOf(lives),
    request,
    ...response,
  });
}

function answerOf(one: Tree, notes: ImportNotes, place: string): Tree | undefined {
  if (isTree(one['httpError']))
    return { response: { broken: one['httpError']['dropConnection'] === true ? 'reset' : 'garbage' } };
  const given = one['httpResponse'];
  if (!isTree(given)) return undefined;
  const status = statusOf(given['statusCode'] ?? 200);
  if (status === undefined) {
    notes.refused(place, 'a status that cannot be answered by a mock');
    return undefined;
  }
  const cookies = pairsOf(given['cookies']).map(
    ([name, value]) => ['Set-Cookie', literal(`${name}=${value}`)] as const,
  );
  const { body } = given;
  const type = textOf(memberOf(body, 'contentType'));
  const own = pairsOf(given['headers']).map(([name, value]) => [name, literal(value)] as const);
  const hasType = own.some(([name]) => name.toLowerCase() === 'content-type');
  const headers = headersOf([
    ...own,
    ...(type === undefined || hasType ? [] : [['Content-Type', type] as const]),
    ...cookies,
  ]);
  const delay = treeOf(given['delay']);
  return {
    response: {
      status,
      headers,
      ...bodyOf(body, typeOf(headers)),
      delay: delayOf(Number(delay['value']) * (UNITS[textOf(delay['timeUnit']) ?? 'MILLISECONDS'] ?? 1)),
    },
  };
}

function bodyOf(body: unknown, type: string | undefined): AnswerBody {
  const text = textOf(body);
  if (text !== undefined) return literalBody(text, type);
  if (!isTree(body)) return Array.isArray(body) ? { json: literalJson(body) } : {};
  if (body['type'] === 'BINARY')
    return { body_base64: (textOf(body['base64Bytes']) ?? '').replaceAll(/\s/g, '') };
  const { json } = body;
  if (body['type'] === 'JSON' || json !== undefined) {
    return typeof json === 'string'
      ? literalBody(json, 'application/json')
      : { json: literalJson(json ?? null) };
  }
  const inner = textOf(body['string']) ?? textOf(body['xml']);
  return inner === undefined ? { json: literalJson(body) } : literalBody(inner, type);
}

function requestOf(request: Tree, notes: ImportNotes, place: string): Tree | undefined {
  const path = textOf(request['path']);
  const method = textOf(request['method']);
  for (const name of ['secure', 'keepAlive', 'socketAddress', 'specUrlOrPayload'])
    if (request[name] !== undefined) notes.approximated(pointTo(place, name), `${name} is not looked at`);
  if (request['not'] === true) return undefined;
  return Object.fromEntries(
    Object.entries({
      method: method === undefined || method === '' ? undefined : method.toUpperCase(),
      ...pathOf(path),
      headers: patternsOf(request['headers']),
      query: patternsOf(request['queryStringParameters']),
      cookies: patternsOf(request['cookies']),
      body: bodyPattern(request['body'], notes, pointTo(place, 'body')),
    }).filter(([, value]) => value !== undefined),
  );
}

/** A path is compared as a text, and as an expression where it is one. */
function pathOf(path: string | undefined): Tree {
  if (path === undefined || path === '') return {};
  if (/\{\w+\}/.test(path)) {
    const pattern = pathPattern(path);
    if (pattern !== undefined) return { path: pattern };
  }
  return META.test(path) ? { path_regex: `^(?:${path})$` } : literalPath(path);
}

function patternsOf(given: unknown): Tree | undefined {
  const entries = pairsOf(given).map(([name, value]): [string, unknown] => {
    const not = name.startsWith('!');
    const pattern = META.test(value)
      ? { regex: `^(?:${value})$` }
      : value === ''
        ? { present: true }
        : exactly(value);
    return [not ? name.slice(1) : name, not ? { absent: true } : pattern];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Names and values, which are an object or a list of objects. */
function pairsOf(given: unknown): readonly (readonly [string, string])[] {
  const valueOf = (value: unknown): string => textOf(Array.isArray(value) ? listOf(value)[0] : value) ?? '';
  if (isTree(given)) return Object.entries(given).map(([name, value]) => [name, valueOf(value)] as const);
  return treesOf(given).map(
    (one) => [textOf(one['name']) ?? '', valueOf(one['values'] ?? one['value'])] as const,
  );
}

function bodyPattern(body: unknown, notes: ImportNotes, place: string): unknown {
  const text = textOf(body);
  if (text !== undefined) return text === '' ? undefined : { equals: text };
  if (!isTree(body)) return undefined;
  const type = textOf(body['type']) ?? (body['json'] === undefined ? '' : 'JSON');
  const value = (name: string): string => textOf(body[name]) ?? '';
  switch (type) {
    case 'STRING':
      return body['subString'] === true ? { contains: value('string') } : { equals: value('string') };
    case 'REGEX':
      return { regex: `^(?:${value('regex')})$` };
    case 'JSON': {
      const json = typeof body['json'] === 'string' ? parse(body['json']) : body['json'];
      return json === undefined
        ? undefined
        : { json: { [body['matchType'] === 'STRICT' ? 'equals' : 'partial']: json } };
    }
    case 'JSON_PATH':
      return { json_path: value('jsonPath') };
    case 'XPATH':
      return { xpath: value('xpath') };
    case 'JSON_SCHEMA': {
      const schema = typeof body['jsonSchema'] === 'string' ? parse(body['jsonSchema']) : body['jsonSchema'];
      return isTree(schema) ? { json_schema: schema } : undefined;
    }
    default:
      notes.approximated(place, `a body of the type ${type.slice(0, 40) || 'unknown'} is not compared`);
      return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
