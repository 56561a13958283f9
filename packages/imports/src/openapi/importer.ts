import { invalid, type Imported, type Importer, type ImportNotes } from '@backlot/core/plugin';
import { Ids } from '../shared/ids.js';
import {
  type ApiRequests,
  Chance,
  isTree,
  memberOf,
  pointTo,
  References,
  requestsOf,
  Sampler,
  textOf,
  type Tree,
} from '@backlot/contracts';
import { basePathOf } from './base-path.js';
import { callbackWebhooks } from './callbacks.js';
import type { OperationTools } from './operation-tools.js';
import { operationMocks } from './operation.js';
import { pathPattern, sortPaths } from './paths.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
/** Mocks of one document. */
const MOST = 50_000;

/** Documents of OpenAPI, whose operations become mocks of HTTP. */
export const openapi: Importer = {
  format: 'openapi',
  title: 'OpenAPI 3.0 and 3.1, Swagger 2.0',
  detect: ({ tree }) =>
    typeof memberOf(tree, 'openapi') === 'string' || memberOf(tree, 'swagger') === '2.0' ? 'sure' : undefined,
  *convert(file, notes, { seed }): Generator<undefined, Imported, undefined> {
    const { tree } = file;
    if (!isTree(tree)) throw invalid('an OpenAPI document is an object');
    const version = textOf(tree['openapi'] ?? tree['swagger']) ?? '';
    if (!/^(3\.[01]|2\.0)/.test(version))
      throw invalid(`OpenAPI ${version || 'of no version'} is not known; 3.0, 3.1 and Swagger 2.0 are`);
    const { place: from, items: paths } = requestsOf(tree);
    if (Object.keys(paths).length === 0) throw invalid('the document has no paths and no webhooks');
    const references = new References((reference) =>
      notes.refused(
        '',
        `${reference.startsWith('#') ? 'there is nothing at' : 'is not read, since it is no file beside this one:'} "${reference.slice(0, 200)}"`,
      ),
    );
    const tools: OperationTools = {
      file,
      root: tree,
      isSwagger: version.startsWith('2'),
      references,
      sampler: new Sampler(references, new Chance(seed)),
      ids: new Ids(),
      notes,
    };
    noteWhatIsLeft(tree, from, notes);
    const base = basePathOf(tree, notes);
    const mocks: Tree[] = [];
    for (const path of sortPaths(Object.keys(paths))) {
      const place = pointTo(from, from === '/paths' ? path : nameOf(path, tree));
      const pattern = pathPattern(base + path);
      if (pattern === undefined) {
        notes.refused(place, `"${path.slice(0, 200)}" is no path that can be matched`);
        continue;
      }
      const item = references.follow({ value: paths[path], document: file });
      for (const method of METHODS) {
        const operation = memberOf(item.value, method);
        if (!isTree(operation)) continue;
        if (mocks.length > MOST) {
          notes.refused(place, `operations beyond ${MOST} mocks are left out`);
          break;
        }
        yield* operationMocks(
          {
            operation,
            document: item.document,
            method,
            path,
            pattern,
            place: pointTo(place, method),
            webhooks: callbackWebhooks(operation, item.document, tools, pointTo(place, method)),
          },
          tools,
          mocks,
        );
        yield;
      }
    }
    return { protocols: { http: { mocks } } };
  },
};

/** What the document calls a webhook that is received at a path. */
function nameOf(path: string, { webhooks }: Tree): string {
  return memberOf(webhooks, path) === undefined ? path.slice(1) : path;
}

/** Notes parts of a document that mocks do not have. */
function noteWhatIsLeft(tree: Tree, from: ApiRequests['place'], notes: ImportNotes): void {
  const schemes = memberOf(tree['components'], 'securitySchemes') ?? tree['securityDefinitions'];
  if (isTree(schemes) && Object.keys(schemes).length > 0)
    notes.approximated(
      '/components/securitySchemes',
      'credentials are not asked for: every request is answered',
    );
  if (from === '/webhooks')
    notes.approximated(
      '/webhooks',
      'the document is for those who receive webhooks, and says no paths: each is received at its name',
    );
  else if (isTree(tree['webhooks']) && Object.keys(tree['webhooks']).length > 0)
    notes.refused('/webhooks', 'webhooks are sent by nobody: nothing in the document says when');
}
