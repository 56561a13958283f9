import { invalid, type Imported, type Importer, type ImportNotes } from '@backlot/core/plugin';
import { exactly, headersOf, httpMock, literalBody, statusOf, typeOf } from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { isTree, memberOf, pointTo, textOf, treeOf, treesOf, type Tree } from '@backlot/contracts';
import { requestPath } from './request-path.js';
import { variablesOf, type Variables } from './variables.js';

const DEEPEST = 50;
const SCHEMA = /getpostman\.com\/(?:json\/)?collection\/v(2\.[01])/;

/** Collections of Postman, whose saved examples become mocks. */
export const postman: Importer = {
  format: 'postman',
  title: 'Postman collection 2.0 and 2.1',
  detect: ({ tree }) => {
    const root = memberOf(tree, 'collection') ?? tree;
    if (SCHEMA.test(textOf(memberOf(memberOf(root, 'info'), 'schema')) ?? '')) return 'sure';
    return memberOf(memberOf(root, 'info'), '_postman_id') !== undefined ? 'likely' : undefined;
  },
  *convert({ tree }, notes): Generator<undefined, Imported, undefined> {
    const root = treeOf(memberOf(tree, 'collection') ?? tree);
    if (!Array.isArray(root['item'])) throw invalid('a Postman collection has a list "item"');
    const reading = new Reading(notes, variablesOf(root));
    yield* reading.items(root['item'] as unknown[], '/item', 0);
    if (root['auth'] !== undefined)
      notes.approximated('/auth', 'credentials are not asked for: every request is answered');
    // A path without parameters, and a request that asks for more, are asked first.
    const mocks = reading.mocks.toSorted((a, b) => b.weight - a.weight).map(({ mock }) => mock);
    return { protocols: { http: { mocks } } };
  },
};

class Reading {
  readonly mocks: { readonly mock: Tree; readonly weight: number }[] = [];
  readonly #ids = new Ids();
  /** What is answered already, since names of examples alone do not tell requests apart. */
  readonly #known = new Map<string, number>();

  constructor(
    private readonly notes: ImportNotes,
    private readonly variables: Variables,
  ) {}

  *items(items: readonly unknown[], place: string, depth: number): Generator<undefined, void, undefined> {
    for (const [index, item] of items.entries()) {
      const at = pointTo(place, index);
      if (!isTree(item)) continue;
      if (this.mocks.length > MOST_MOCKS || depth > DEEPEST) {
        this.notes.refused(at, `requests beyond ${MOST_MOCKS}, and folders ${DEEPEST} deep, are left out`);
        return;
      }
      if (Array.isArray(item['item']))
        yield* this.items(item['item'] as unknown[], pointTo(at, 'item'), depth + 1);
      else this.#request(item, at);
      if (treesOf(item['event']).some((event) => treeOf(event['script'])['exec'] !== undefined))
        this.notes.refused(pointTo(at, 'event'), 'scripts of requests are not run');
      yield;
    }
  }

  #request(item: Tree, place: string): void {
    const name = textOf(item['name']) ?? 'request';
    const examples = treesOf(item['response']);
    if (examples.length === 0) {
      const request = this.#match(item['request'], pointTo(place, 'request'));
      if (request === undefined) return;
      this.notes.approximated(place, 'a request without a saved example is answered with 200 and no body');
      this.#add(name, request, { status: 200 });
      return;
    }
    examples.forEach((example, index) => {
      const at = pointTo(pointTo(place, 'response'), index);
      // An example has the request that it was saved with; the one of the item has the names of path parameters.
      const request = this.#match(example['originalRequest'] ?? item['request'], at, item['request']);
      if (request === undefined) return;
      const headers = headersOf(
        treesOf(example['header']).map((one) => [
          textOf(one['key']) ?? '',
          this.variables.resolve(textOf(one['value']) ?? ''),
        ]),
      );
      const type =
        typeOf(headers) ?? (example['_postman_previewlanguage'] === 'json' ? 'application/json' : undefined);
      const status = statusOf(example['code']) ?? 200;
      this.#add(`${name}-${textOf(example['name']) ?? status}`, request, {
        status,
        headers,
        ...literalBody(textOf(example['body']) ?? '', type),
      });
    });
  }

  #add(name: string, match: { readonly request: Tree; readonly weight: number }, response: Tree): void {
    const { request, weight } = match;
    const key = JSON.stringify(request);
    const number = this.#known.get(key) ?? 0;
    this.#known.set(key, number + 1);
    const id = this.#ids.take(name);
    if (number === 0) {
      this.mocks.push({ mock: httpMock({ id, request, response }), weight });
      return;
    }
    // Postman's own mock servers choose among examples by these headers.
    const status = textOf(response['status']) ?? '200';
    this.notes.approximated(
      id,
      'further examples of the same request are answered when x-mock-response-code has their status, or x-mock-response-name their name',
    );
    const byHeader = {
      any_of: [
        { headers: { 'x-mock-response-name': exactly(name) } },
        { headers: { 'x-mock-response-code': status } },
      ],
    };
    this.mocks.push({
      mock: httpMock({ id, request: { ...request, ...byHeader }, response }),
      weight: weight + 1000,
    });
  }

  #match(
    given: unknown,
    place: string,
    named?: unknown,
  ): { readonly request: Tree; readonly weight: number } | undefined {
    const request = typeof given === 'string' ? { url: given } : treeOf(given);
    const path = requestPath(request['url'], treeOf(named)['url'], this.variables);
    if (path === undefined) {
      this.notes.refused(place, 'a request whose url is no path that can be matched is left out');
      return undefined;
    }
    const query = Object.fromEntries(
      path.query.map(([name, value]) => [name, value === undefined ? { present: true } : exactly(value)]),
    );
    const method = (textOf(request['method']) ?? 'GET').toUpperCase();
    return {
      request: {
        method,
        path: path.pattern,
        query: path.query.length === 0 ? undefined : query,
      },
      weight: path.fixed * 10 + path.query.length,
    };
  }
}
