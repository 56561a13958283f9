import { invalid, type Imported, type Importer, type ImportNotes } from '@backlot/core/plugin';
import {
  exactlyAll,
  headersOf,
  httpMock,
  literalBody,
  literalPath,
  statusOf,
  type AnswerBody,
} from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { targetOf } from '../shared/target.js';
import { memberOf, textOf, treeOf, treesOf, type Tree } from '@backlot/contracts';

/** What a browser loads of a page apart from its data. */
const FOREIGN_SCHEMES = /^(data|blob|chrome-extension|moz-extension|about):/i;

/** Recordings of browsers and proxies (HTTP Archive 1.2), whose answers become mocks. */
export const har: Importer = {
  format: 'har',
  title: 'HAR',
  detect: ({ tree }) => (Array.isArray(memberOf(memberOf(tree, 'log'), 'entries')) ? 'sure' : undefined),
  *convert({ tree }, notes): Generator<undefined, Imported, undefined> {
    const entries = memberOf(memberOf(tree, 'log'), 'entries');
    if (!Array.isArray(entries)) throw invalid('a HAR file has log.entries');
    const recorded = new Map<string, { request: Tree; responses: Tree[]; name: string }>();
    const hosts = new Set<string>();
    for (const [index, entry] of entries.slice(0, MOST_MOCKS).entries()) {
      const place = `/log/entries/${index}`;
      const one = readEntry(treeOf(entry), place, notes, hosts);
      yield;
      if (one === undefined) continue;
      const key = JSON.stringify(one.request);
      const known = recorded.get(key);
      if (known === undefined)
        recorded.set(key, { request: one.request, responses: [one.response], name: one.name });
      else known.responses.push(one.response);
    }
    if (entries.length > MOST_MOCKS)
      notes.refused('/log/entries', `entries beyond the first ${MOST_MOCKS} are left out`);
    if (hosts.size > 1)
      notes.approximated(
        '/log/entries',
        `requests to ${hosts.size} hosts are answered at one address; the host is not looked at`,
      );
    const ids = new Ids();
    const mocks: Tree[] = [];
    // What asks for more comes first, so that a request with a query is not answered by one without.
    const ordered = [...recorded.values()].toSorted((a, b) => weightOf(b.request) - weightOf(a.request));
    for (const { request, responses, name } of ordered) {
      mocks.push(answering(ids.take(name), request, responses, notes));
      yield;
    }
    return { protocols: { http: { mocks } } };
  },
};

interface Recorded {
  readonly request: Tree;
  readonly response: Tree;
  readonly name: string;
}

function readEntry(entry: Tree, place: string, notes: ImportNotes, hosts: Set<string>): Recorded | undefined {
  const request = treeOf(entry['request']);
  const response = treeOf(entry['response']);
  const url = textOf(request['url']) ?? '';
  if (FOREIGN_SCHEMES.test(url)) return undefined;
  const target = targetOf(url);
  if (target === undefined || url === '') {
    notes.refused(place, 'a request without a url that can be read is left out');
    return undefined;
  }
  const method = (textOf(request['method']) ?? 'GET').toUpperCase();
  const status = statusOf(response['status']);
  if (status === undefined) {
    notes.refused(place, 'a request that was not answered, or with 101, is left out');
    return undefined;
  }
  hosts.add(target.host);
  const headers = headersOf(
    treesOf(response['headers']).map((header) => [
      textOf(header['name']) ?? '',
      textOf(header['value']) ?? '',
    ]),
  );
  const content = treeOf(response['content']);
  return {
    name: `${method.toLowerCase()}${target.path}`,
    request: {
      method,
      ...literalPath(target.path),
      query: exactlyAll(target.query),
      body_json: undefined,
      body: bodyPattern(treeOf(request['postData']), place, notes),
    },
    response: { status, headers, ...bodyOf(content, place, notes) },
  };
}

function bodyOf(content: Tree, place: string, notes: ImportNotes): AnswerBody {
  const text = textOf(content['text']) ?? '';
  if (content['encoding'] === 'base64') return text === '' ? {} : { body_base64: text.replaceAll(/\s/g, '') };
  if (text === '' && Number(content['size']) > 0)
    notes.approximated(place, 'the recording has no body of an answer that had one; the body is empty');
  return literalBody(text, textOf(content['mimeType']));
}

/** What the body of a request must be: the same JSON, or the same text. */
function bodyPattern(post: Tree, place: string, notes: ImportNotes): unknown {
  const text = textOf(post['text']) ?? '';
  if (text === '') return undefined;
  if (text.length > 10_000) {
    notes.approximated(place, 'a long body of a request is not compared');
    return undefined;
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return { json: { equals: value } };
  } catch {
    // It is compared as the text that it is.
  }
  if (/multipart/i.test(textOf(post['mimeType']) ?? '')) return undefined;
  return { equals: text };
}

function answering(id: string, request: Tree, responses: readonly Tree[], notes: ImportNotes): Tree {
  const [first] = responses;
  const isSame = responses.every((one) => JSON.stringify(one) === JSON.stringify(first));
  if (isSame) return httpMock({ id, request, response: first ?? {} });
  notes.approximated(
    id,
    'a request that was answered in different ways is answered in the order of the recording',
  );
  return httpMock({ id, request, sequence: responses.slice(0, 1000).map((one) => clean(one)) });
}

function clean(response: Tree): Tree {
  return Object.fromEntries(Object.entries(response).filter(([, value]) => value !== undefined));
}

function weightOf(request: Tree): number {
  return Object.keys(treeOf(request['query'])).length + (request['body'] === undefined ? 0 : 1);
}
