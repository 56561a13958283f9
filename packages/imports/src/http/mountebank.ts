import type { Imported, Importer, ImportNotes } from '@backlot/core/plugin';
import {
  escapeRegex,
  exactly,
  headersOf,
  httpMock,
  literalBody,
  statusOf,
  typeOf,
} from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { literalJson } from '../shared/literal.js';
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

const MOST_REPEATS = 1000;

/** Imposters of mountebank that speak HTTP. */
export const mountebank: Importer = {
  format: 'mountebank',
  title: 'mountebank imposters',
  detect: ({ tree }) => (impostersOf(tree).some((one) => Array.isArray(one['stubs'])) ? 'sure' : undefined),
  *convert({ tree }, notes): Generator<undefined, Imported, undefined> {
    const ids = new Ids();
    const mocks: Tree[] = [];
    const imposters = impostersOf(tree);
    for (const [index, imposter] of imposters.entries()) {
      const place = tree === imposter ? '' : pointTo('/imposters', index);
      const protocol = textOf(imposter['protocol']) ?? 'http';
      if (protocol !== 'http' && protocol !== 'https') {
        notes.refused(
          place,
          `an imposter of ${protocol.slice(0, 40)} is left out; those of http and https are taken`,
        );
        continue;
      }
      for (const [number, stub] of treesOf(imposter['stubs']).entries()) {
        yield;
        const at = pointTo(pointTo(place, 'stubs'), number);
        const request = requestOf(treesOf(stub['predicates']), notes, at);
        const responses = treesOf(stub['responses'])
          .slice(0, MOST_REPEATS)
          .flatMap((one) => responseOf(one, notes, at))
          .slice(0, MOST_REPEATS);
        if (request === undefined || responses.length === 0 || mocks.length > MOST_MOCKS) {
          notes.refused(at, 'a stub without predicates and answers that a mock can have is left out');
          continue;
        }
        const [first] = responses;
        const id = ids.take(
          `${(textOf(request['method']) ?? 'any').toLowerCase()}${textOf(request['path']) ?? ''}`,
        );
        mocks.push(
          responses.length === 1
            ? httpMock({ id, request, response: first ?? {} })
            : httpMock({ id, request, sequence: responses, sequence_exhausted: 'loop' }),
        );
      }
    }
    if (imposters.length > 1)
      notes.approximated(
        '/imposters',
        'imposters at several ports are answered at one; the port is not looked at',
      );
    return { protocols: { http: { mocks } } };
  },
};

function impostersOf(tree: unknown): readonly Tree[] {
  const list = memberOf(tree, 'imposters');
  if (Array.isArray(list)) return treesOf(list).slice(0, 1000);
  return isTree(tree) && Array.isArray(tree['stubs']) ? [tree] : [];
}

const FORMS: Readonly<Record<string, (text: string) => string | Tree>> = {
  equals: exactly,
  deepEquals: exactly,
  contains: (text) => ({ contains: text }),
  startsWith: (text) => ({ prefix: text }),
  endsWith: (text) => ({ suffix: text }),
  matches: (text) => ({ regex: text }),
};

/** The predicates of a stub as a request; `undefined` when a mock cannot ask for them. */
function requestOf(predicates: readonly Tree[], notes: ImportNotes, place: string): Tree | undefined {
  const request: Record<string, unknown> = {};
  for (const predicate of predicates) {
    const { or, and } = predicate;
    if (Array.isArray(and)) {
      const inner = requestOf(treesOf(and), notes, place);
      if (inner === undefined) return undefined;
      Object.assign(request, inner);
      continue;
    }
    if (Array.isArray(or)) {
      const alternatives = treesOf(or).map((one) => requestOf([one], notes, place));
      if (alternatives.includes(undefined) || alternatives.length === 0) return undefined;
      request['any_of'] = alternatives.slice(0, 100);
      continue;
    }
    const form = Object.keys(FORMS).find((name) => isTree(predicate[name]));
    const exists = predicate['exists'];
    const negated = memberOf(predicate, 'not');
    if (isTree(negated)) {
      if (!addNegated(request, negated)) return undefined;
    } else if (isTree(exists)) addExisting(request, exists);
    else if (form === undefined) {
      notes.refused(
        place,
        `the predicate ${Object.keys(predicate).join(', ').slice(0, 100)} is none that a mock can ask for`,
      );
      return undefined;
    } else {
      const isInsensitive = predicate['caseSensitive'] !== true;
      addFields(request, treeOf(predicate[form]), form, isInsensitive);
    }
  }
  return request;
}

function addFields(
  request: Record<string, unknown>,
  fields: Tree,
  form: string,
  isInsensitive: boolean,
): void {
  const pattern = (value: unknown): unknown => {
    const text = textOf(value);
    if (text === undefined) return undefined;
    const isEqual = form === 'equals' || form === 'deepEquals';
    // Case does not count unless it is said; it can only differ where there are letters.
    if (isInsensitive && /\p{L}/u.test(text))
      return {
        regex: `(?i)${isEqual || form === 'startsWith' ? '^' : ''}${form === 'matches' ? text : escapeRegex(text)}${isEqual || form === 'endsWith' ? '$' : ''}`,
      };
    return FORMS[form]?.(text);
  };
  for (const [name, value] of Object.entries(fields)) {
    const text = textOf(value);
    if (name === 'method' && text !== undefined) request['method'] = text.toUpperCase();
    else if (name === 'path' && text !== undefined) {
      if ((form === 'equals' || form === 'deepEquals') && !/[*{}]/.test(text)) request['path'] = text;
      else
        request['path_regex'] =
          form === 'matches'
            ? text
            : `${form === 'contains' || form === 'endsWith' ? '' : '^'}${escapeRegex(text)}${form === 'startsWith' || form === 'contains' ? '' : '$'}`;
    } else if ((name === 'query' || name === 'headers' || name === 'form') && isTree(value)) {
      const all = Object.entries(value).map(
        ([key, one]) => [key, pattern(Array.isArray(one) ? listOf(one)[0] : one)] as const,
      );
      request[name] = {
        ...treeOf(request[name]),
        ...Object.fromEntries(all.filter(([, one]) => one !== undefined)),
      };
    } else if (name === 'body') {
      request['body'] =
        isTree(value) || Array.isArray(value)
          ? { json: { [form === 'deepEquals' ? 'equals' : 'partial']: value } }
          : pattern(value);
    }
  }
}

function addExisting(request: Record<string, unknown>, fields: Tree): void {
  for (const [name, value] of Object.entries(fields)) {
    const present = (is: unknown): Tree => (is === false ? { absent: true } : { present: true });
    if (name === 'body') request['body'] = present(value);
    else if ((name === 'query' || name === 'headers') && isTree(value)) {
      request[name] = {
        ...treeOf(request[name]),
        ...Object.fromEntries(Object.entries(value).map(([key, is]) => [key, present(is)])),
      };
    }
  }
}

/** What must not be: only one field can be told so. */
function addNegated(request: Record<string, unknown>, negated: Tree): boolean {
  const inner: Record<string, unknown> = {};
  const form = Object.keys(FORMS).find((name) => isTree(negated[name]));
  if (form === undefined) return false;
  addFields(inner, treeOf(negated[form]), form, negated['caseSensitive'] !== true);
  const [entry, ...others] = Object.entries(inner);
  if (entry === undefined || others.length > 0) return false;
  const [name, value] = entry;
  if (name === 'body') request['body'] = { not: value };
  else if (isTree(value) && Object.keys(value).length === 1) {
    request[name] = {
      ...treeOf(request[name]),
      ...Object.fromEntries(Object.entries(value).map(([key, one]) => [key, { not: one }])),
    };
  } else return false;
  return true;
}

function responseOf(given: Tree, notes: ImportNotes, place: string): readonly Tree[] {
  const { is } = given;
  const behaviors = [
    ...treesOf(given['_behaviors']),
    ...treesOf(given['behaviors']),
    treeOf(given['_behaviors']),
  ];
  if (!isTree(is)) {
    notes.refused(place, 'answers that are proxied or made by code are left out');
    return [];
  }
  const status = statusOf(is['statusCode'] ?? 200);
  if (status === undefined) return [];
  const headers = headersOf(
    Object.entries(treeOf(is['headers'])).flatMap(([name, value]) =>
      (Array.isArray(value) ? listOf(value) : [value]).map((one) => [name, textOf(one) ?? ''] as const),
    ),
  );
  const wait = behaviors.map((one) => one['wait']).find((one) => one !== undefined);
  if (typeof wait === 'string' && !/^\d+$/.test(wait))
    notes.approximated(place, 'a wait that code computes is left out');
  for (const name of ['decorate', 'shellTransform', 'copy', 'lookup'])
    if (behaviors.some((one) => one[name] !== undefined))
      notes.refused(place, `the behavior ${name} is not done`);
  const { body } = is;
  const answer: Tree = Object.fromEntries(
    Object.entries({
      status,
      headers,
      ...(isTree(body) || Array.isArray(body)
        ? { json: literalJson(body) }
        : is['_mode'] === 'binary'
          ? { body_base64: (textOf(body) ?? '').replaceAll(/\s/g, '') }
          : literalBody(textOf(body) ?? '', typeOf(headers))),
      delay: delayOf(wait),
    }).filter(([, value]) => value !== undefined),
  );
  const repeat =
    integerOf(
      given['repeat'] ?? behaviors.map((one) => one['repeat']).find((one) => one !== undefined),
      1,
      MOST_REPEATS,
    ) ?? 1;
  return Array.from({ length: repeat }, () => answer);
}
