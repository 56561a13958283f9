import { invalid, type Imported, type Importer } from '@backlot/core/plugin';
import { httpMock } from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { isTree, memberOf, pointTo, textOf, treesOf, type Tree } from '@backlot/contracts';
import { bucketRows, bucketsOf } from './buckets.js';
import { endpointPath } from './endpoint.js';
import { responseOf, type ResponseTools } from './response.js';
import { conditionsOf } from './rules.js';

/** Environments of Mockoon, one or several as an export has them. */
export const mockoon: Importer = {
  format: 'mockoon',
  title: 'Mockoon environment',
  detect: ({ tree }) =>
    environmentsOf(tree).some(
      (one) => one['endpointPrefix'] !== undefined || one['lastMigration'] !== undefined,
    )
      ? 'sure'
      : undefined,
  *convert(file, notes): Generator<undefined, Imported, undefined> {
    const environments = environmentsOf(file.tree);
    if (environments.length === 0) throw invalid('an environment of Mockoon has a list of routes');
    const ids = new Ids();
    const mocks: Tree[] = [];
    const collections: Record<string, Tree> = {};
    for (const environment of environments) {
      const tools: ResponseTools = { file, environment, buckets: bucketsOf(environment), notes };
      if (environment['proxyMode'] === true)
        notes.refused('/proxyMode', 'requests that no route answers are not passed on');
      for (const [index, route] of treesOf(environment['routes']).entries()) {
        yield;
        const place = pointTo('/routes', index);
        const path = endpointPath(environment, route);
        if (path === undefined || route['type'] === 'ws' || mocks.length > MOST_MOCKS) {
          notes.refused(
            place,
            route['type'] === 'ws'
              ? 'a route of WebSocket is left out'
              : 'a route whose path cannot be matched is left out',
          );
        } else if (route['type'] === 'crud') {
          addResource(route, path, { tools, place, mocks, collections, ids });
        } else {
          mocks.push(...routeMocks(route, path, place, tools, ids));
        }
      }
    }
    return {
      protocols: { http: { mocks } },
      ...(Object.keys(collections).length === 0 ? {} : { collections }),
    };
  },
};

function environmentsOf(tree: unknown): readonly Tree[] {
  const list = memberOf(tree, 'data');
  if (Array.isArray(list) && memberOf(tree, 'source') !== undefined)
    return treesOf(list)
      .map((one) => memberOf(one, 'item'))
      .filter(isTree)
      .filter((one) => Array.isArray(one['routes']));
  return isTree(tree) && Array.isArray(tree['routes']) ? [tree] : [];
}

/** The mocks of a route: those with rules first, and the one that answers where none holds. */
function routeMocks(
  route: Tree,
  path: string,
  place: string,
  tools: ResponseTools,
  ids: Ids,
): readonly Tree[] {
  const method = textOf(route['method'])?.toUpperCase();
  const request = { method: method === 'ALL' || method === undefined ? undefined : method, path };
  const responses = treesOf(route['responses']);
  const name = `${method?.toLowerCase() ?? 'any'}${path}`;
  const mode = route['responseMode'];
  if (mode === 'SEQUENTIAL' || mode === 'RANDOM') {
    if (mode === 'RANDOM')
      tools.notes.approximated(place, 'answers that are chosen at random come one after the other');
    const sequence = responses.map((one) => responseOf(one, tools, place));
    return sequence.length === 0
      ? []
      : [httpMock({ id: ids.take(name), request, sequence, sequence_exhausted: 'loop' })];
  }
  const usual = responses.find((one) => one['default'] === true) ?? responses[0];
  const mocks: Tree[] = [];
  for (const response of responses) {
    const rules = treesOf(response['rules']);
    if (response === usual || rules.length === 0 || mode === 'DISABLE_RULES') continue;
    const conditions = conditionsOf(rules, response['rulesOperator'] === 'AND', path, tools.notes, place);
    if (conditions === undefined) continue;
    mocks.push(
      httpMock({
        id: ids.take(`${name}-${textOf(response['label']) ?? ''}`),
        request: { ...request, ...conditions },
        response: responseOf(response, tools, place),
      }),
    );
  }
  if (usual !== undefined)
    mocks.push(httpMock({ id: ids.take(name), request, response: responseOf(usual, tools, place) }));
  return mocks;
}

interface ResourcePlace {
  readonly tools: ResponseTools;
  readonly place: string;
  readonly mocks: Tree[];
  readonly collections: Record<string, Tree>;
  readonly ids: Ids;
}

function addResource(
  route: Tree,
  path: string,
  { tools, place, mocks, collections, ids }: ResourcePlace,
): void {
  const [response] = treesOf(route['responses']);
  const id = textOf(memberOf(response, 'databucketID')) ?? '';
  const bucket = tools.buckets.get(id);
  const key = textOf(memberOf(response, 'crudKey')) ?? 'id';
  const rows = bucket === undefined ? [] : bucketRows(bucket, key);
  if (rows === undefined || path.includes('{')) {
    tools.notes.refused(place, 'a CRUD route whose data is no list of objects with keys is left out');
    return;
  }
  const name = bucket?.name ?? ids.take(path);
  collections[name] ??= { key, rows };
  mocks.push({ resource: { path, collection: name } });
}
