import type { Imported, ImportFile, ImportNotes } from '@backlot/core/plugin';
import {
  exactlyAll,
  headersOf,
  httpMock,
  literalBody,
  literalPath,
  statusOf,
  typeOf,
} from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { literalJson } from '../shared/literal.js';
import { targetOf } from '../shared/target.js';
import { isTree, listOf, textOf, treesOf, type Tree } from '@backlot/contracts';

/** Whether a value is what nock has recorded. */
export function isRecording({ tree }: ImportFile): boolean {
  return isRecorded(listOf(tree)[0]);
}

/** Reads what nock has recorded as JSON (`nock.recorder` with `output_objects`, and nockBack's files). */
export function* convertRecordings(
  { tree }: ImportFile,
  notes: ImportNotes,
): Generator<undefined, Imported, undefined> {
  const ids = new Ids();
  const mocks: Tree[] = [];
  for (const [index, one] of treesOf(tree).slice(0, MOST_MOCKS).entries()) {
    yield;
    const target = targetOf(textOf(one['path']) ?? '');
    const status = statusOf(one['status'] ?? 200);
    if (!isRecorded(one) || target === undefined || status === undefined) {
      notes.refused(`/${index}`, 'an entry without a path and a status is left out');
      continue;
    }
    const raw = listOf(one['rawHeaders']).map((text) => textOf(text) ?? '');
    const headers = headersOf(
      raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : [])),
    );
    const { body, response } = one;
    const method = (textOf(one['method']) ?? 'GET').toUpperCase();
    mocks.push(
      httpMock({
        id: ids.take(`${method.toLowerCase()}${target.path}`),
        request: {
          method,
          ...literalPath(target.path),
          query: exactlyAll(target.query),
          body: isTree(body) || Array.isArray(body) ? { json: { equals: body } } : undefined,
        },
        response: {
          status,
          headers,
          ...(typeof response === 'string'
            ? literalBody(response, typeOf(headers))
            : response === undefined || response === null
              ? {}
              : { json: literalJson(response) }),
        },
      }),
    );
  }
  if (new Set(treesOf(tree).map((one) => one['scope'])).size > 1)
    notes.approximated(
      '',
      'requests to several hosts are answered at one address; the host is not looked at',
    );
  return { protocols: { http: { mocks } } };
}

function isRecorded(value: unknown): boolean {
  return isTree(value) && typeof value['scope'] === 'string' && typeof value['path'] === 'string';
}
