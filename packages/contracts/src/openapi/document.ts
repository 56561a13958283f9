import { invalid, type ImportFile } from '@backlot/core/plugin';
import { SchemaChecks } from '../schema/checks.js';
import { References } from '../schema/references.js';
import { isTree, listOf, memberOf, textOf, treeOf, treesOf, type Tree } from '../shared/values.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** What all operations of a document are read with. */
export interface ApiTools {
  readonly root: Tree;
  readonly isSwagger: boolean;
  readonly references: References;
  readonly checks: SchemaChecks;
}

/** One parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly tree: Tree;
  readonly document: ImportFile;
}

/** An operation of a document. */
export interface Operation {
  /** `GET /users/{id}` */
  readonly name: string;
  readonly method: string;
  readonly tree: Tree;
  readonly document: ImportFile;
  /** Parameters of the whole path, before those of the operation. */
  readonly shared: { readonly list: unknown; readonly document: ImportFile };
  /** What can be answered, by status as the document writes it. */
  readonly statuses: readonly string[];
}

/** The operations of one path, by method in upper case. */
export type PathItem = ReadonlyMap<string, Operation>;

/** Reads what a document is: nothing beyond the names of its operations is looked at. */
export function readApi(file: ImportFile): {
  readonly tools: ApiTools;
  readonly base: string;
  readonly bases: readonly string[];
  readonly paths: readonly (readonly [template: string, item: PathItem])[];
} {
  const root = file.tree;
  if (!isTree(root)) throw invalid('an OpenAPI document is an object');
  const version = textOf(root['openapi'] ?? root['swagger']) ?? '';
  if (!/^(3\.[01]|2\.0)/.test(version))
    throw invalid(
      version === ''
        ? 'it is no OpenAPI document: it has neither "openapi" nor "swagger"'
        : `OpenAPI ${version.slice(0, 20)} is not known; 3.0, 3.1 and Swagger 2.0 are`,
    );
  // What leads nowhere allows everything.
  const references = new References(() => undefined);
  const checks = new SchemaChecks(references, version.startsWith('3.1') ? 'json-schema' : 'openapi');
  const tools: ApiTools = { root, isSwagger: version.startsWith('2'), references, checks };
  const bases = basesOf(root);
  const paths = Object.entries(requestsOf(root).items).map(
    ([template, given]) => [template, readItem(template, given, file, tools)] as const,
  );
  if (paths.length === 0) throw invalid('the document has no paths and no webhooks');
  return { tools, base: bases[0] ?? '', bases, paths };
}

/** What a document says can be asked, by path. */
export interface ApiRequests {
  /** Where it stands in the document. */
  readonly place: '/paths' | '/webhooks';
  readonly items: Tree;
}

/**
 * What can be asked of whom a document describes. One of webhooks alone is for those who receive them: as the document says nothing of
 * where that is, the path of each is its name.
 */
export function requestsOf(root: Tree): ApiRequests {
  const paths = treeOf(root['paths']);
  const webhooks = Object.entries(treeOf(root['webhooks']));
  if (Object.keys(paths).length > 0 || webhooks.length === 0) return { place: '/paths', items: paths };
  const items = webhooks.map(([name, item]) => [name.startsWith('/') ? name : `/${name}`, item] as const);
  return { place: '/webhooks', items: Object.fromEntries(items) };
}

function readItem(template: string, given: unknown, file: ImportFile, { references }: ApiTools): PathItem {
  const { value: item, document } = references.follow({ value: given, document: file });
  const operations = new Map<string, Operation>();
  for (const method of METHODS) {
    const tree = memberOf(item, method);
    if (!isTree(tree)) continue;
    const responses = references.follow({ value: tree['responses'], document });
    operations.set(method.toUpperCase(), {
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      tree,
      document,
      shared: { list: memberOf(item, 'parameters'), document },
      statuses: Object.keys(treeOf(responses.value)).filter((status) =>
        /^(default|[1-5](\d\d|XX))$/i.test(status),
      ),
    });
  }
  return operations;
}

/** The paths that may stand before those of the document, without a slash at the end; the first is the usual one. */
function basesOf(root: Tree): readonly string[] {
  if (root['openapi'] === undefined) return [cleanBase(textOf(root['basePath']) ?? '')];
  const bases = treesOf(root['servers']).map((server) => {
    const url = (textOf(server['url']) ?? '').replaceAll(/\{([^{}]{1,100})\}/g, (_all, name: string) => {
      const variable = memberOf(server['variables'], name);
      return textOf(memberOf(variable, 'default')) ?? name;
    });
    return cleanBase(url.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/, ''));
  });
  return bases.length === 0 ? [''] : [...new Set(bases)];
}

function cleanBase(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}

/** The parameters of an operation; its own count before those of the whole path. */
export function parametersOf(
  { tree, document, shared }: Operation,
  { references }: ApiTools,
): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  for (const { list, document: from } of [shared, { list: tree['parameters'], document }]) {
    for (const given of listOf(list)) {
      const { value, document: where } = references.follow({ value: given, document: from });
      const name = textOf(memberOf(value, 'name'));
      const place = textOf(memberOf(value, 'in'));
      if (!isTree(value) || name === undefined || place === undefined) continue;
      found.set(`${place} ${name}`, { name, in: place, tree: value, document: where });
    }
  }
  return [...found.values()];
}
