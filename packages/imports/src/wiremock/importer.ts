import { invalid, type Imported, type Importer, type ImportFile } from '@backlot/core/plugin';
import { httpMock } from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { isTree, memberOf, pointTo, textOf, treesOf, type Tree } from '@backlot/contracts';
import { requestOf } from './request.js';
import { responseOf } from './response.js';
import { scenarioOf } from './scenario.js';
import { webhooksOf } from './webhooks.js';

/** The priority of a stub that names none; less is asked first. */
const USUAL_PRIORITY = 5;

/** Stub mappings of WireMock: one, a list as its admin API gives it, or a folder with `mappings` and `__files`. */
export const wiremock: Importer = {
  format: 'wiremock',
  title: 'WireMock stub mappings',
  detect(file) {
    if (file.isFolder)
      return mappingFiles(file).some(({ tree }) => stubsOf(tree).length > 0) ? 'sure' : undefined;
    const [first] = stubsOf(file.tree);
    return first === undefined ? undefined : isStub(first) ? 'sure' : 'likely';
  },
  *convert(file, notes): Generator<undefined, Imported, undefined> {
    // Of stubs in files the one that is read last is asked first; a list has the first one first.
    const files = file.isFolder ? mappingFiles(file).toReversed() : [file];
    const ids = new Ids();
    const mocks: Tree[] = [];
    const state: Record<string, string> = {};
    for (const one of files) {
      const stubs = stubsOf(one.tree);
      if (stubs.length === 0) notes.refused(one.name, 'a file without stub mappings is left out');
      for (const [index, stub] of stubs.entries()) {
        yield;
        const place = file.isFolder
          ? `${one.name}${stubs.length > 1 ? `: /mappings/${index}` : ''}`
          : one.tree === stub
            ? ''
            : pointTo('/mappings', index);
        if (mocks.length >= MOST_MOCKS) {
          notes.refused(place, `stubs beyond ${MOST_MOCKS} are left out`);
          break;
        }
        const mock = mockOf(stub, { file, one, place, notes, state, ids });
        if (mock !== undefined) mocks.push(mock);
      }
    }
    if (mocks.length === 0 && files.length === 0) throw invalid('the folder has no mappings/*.json');
    return { protocols: { http: { mocks } }, ...(Object.keys(state).length === 0 ? {} : { state }) };
  },
};

/** Where a stub stands, and what is kept of all. */
interface StubPlace {
  readonly file: ImportFile;
  readonly one: ImportFile;
  readonly place: string;
  readonly notes: Parameters<Importer['convert']>[1];
  readonly state: Record<string, string>;
  readonly ids: Ids;
}

function mockOf(stub: Tree, { file, one, place, notes, state, ids }: StubPlace): Tree | undefined {
  const request = requestOf(stub['request'], notes, pointTo(place, 'request'));
  if (request === undefined) return undefined;
  const response = responseOf(stub['response'], {
    notes,
    place: pointTo(place, 'response'),
    templateParams: request.templateParams,
    readFile: (name) => bodyFile(file, one, name),
  });
  if (response === undefined) return undefined;
  const method = textOf(request.fields['method']) ?? 'any';
  const path = textOf(request.fields['path']) ?? textOf(request.fields['path_regex']) ?? '';
  const name = textOf(stub['name']) ?? `${method.toLowerCase()}${path}`;
  const priority =
    USUAL_PRIORITY -
    Math.min(Math.max(Number(stub['priority'] ?? USUAL_PRIORITY) || USUAL_PRIORITY, -1000), 1000);
  const webhooks = webhooksOf(stub, notes, place);
  return httpMock({
    id: ids.take(name),
    priority: priority === 0 ? undefined : priority,
    ...scenarioOf(stub, state),
    request: request.fields,
    ...response,
    webhooks: webhooks.length === 0 ? undefined : webhooks,
  });
}

function stubsOf(tree: unknown): readonly Tree[] {
  const list = memberOf(tree, 'mappings');
  if (Array.isArray(list)) return treesOf(list).filter((one) => isTree(one['request']));
  return isTree(tree) && isTree(tree['request']) && isTree(tree['response']) ? [tree] : [];
}

/** Whether a stub has a field by which WireMock's are told from those of others. */
function isStub(stub: Tree): boolean {
  const { request } = stub;
  return [
    'url',
    'urlPattern',
    'urlPath',
    'urlPathPattern',
    'urlPathTemplate',
    'bodyPatterns',
    'queryParameters',
  ].some((name) => memberOf(request, name) !== undefined);
}

function mappingFiles({ files }: ImportFile): readonly ImportFile[] {
  return files.filter(({ name }) => /(^|\/)mappings\/.*\.json$/.test(name));
}

/** The file that a stub names as its body, in `__files` beside `mappings`. */
function bodyFile(file: ImportFile, one: ImportFile, name: string): ImportFile | undefined {
  if (!file.isFolder) return one.near(`../__files/${name}`) ?? one.near(`__files/${name}`);
  const wanted = `__files/${name.replace(/^\/+/, '')}`;
  return file.files.find((each) => each.name === wanted || each.name.endsWith(`/${wanted}`));
}
