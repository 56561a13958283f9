import type { ContractViolation, ImportFile } from '@backlot/core/plugin';
import { isTree, memberOf, pointTo, treeOf, type Tree } from '../shared/values.js';
import { UNCHECKED } from '../schema/checks.js';
import type { PartFindings } from './bodies.js';
import { parametersOf, type ApiTools, type Operation, type Parameter } from './document.js';
import { shownValue, type ApiRequest } from './messages.js';
import { membersOfTexts, splitText, typesOf, valueOfText, writingOf } from './texts.js';

/** Headers that are parameters of no operation (OpenAPI 3.1, section 4.8.12.1). */
const NO_PARAMETERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** What is wrong with the parameters of a request. */
export function checkParameters(
  operation: Operation,
  request: ApiRequest,
  path: ReadonlyMap<string, string>,
  tools: ApiTools,
): PartFindings {
  const query = new URLSearchParams(request.query);
  const found: ContractViolation[] = [];
  for (const parameter of parametersOf(operation, tools)) {
    const { name, in: place, tree } = parameter;
    if (place === 'header' && NO_PARAMETERS.has(name.toLowerCase())) continue;
    if (!['path', 'query', 'header', 'cookie'].includes(place)) continue;
    const at = `/${place === 'path' ? 'path' : place === 'header' ? 'headers' : place === 'cookie' ? 'cookies' : 'query'}`;
    const pointer = pointTo(at, place === 'header' ? name.toLowerCase() : name);
    const { schema, document } = schemaOf(parameter, tools);
    const value = readParameter(parameter, schema, document, { request, path, query }, tools);
    if (value === undefined) {
      if (tree['required'] === true || place === 'path')
        found.push({ in: 'request', path: pointer, message: 'must be there' });
      continue;
    }
    if (value === '' && tree['allowEmptyValue'] === true) continue;
    const fault = tools.checks.findFurther(schema, document, 'request', value);
    if (fault === UNCHECKED) return { violations: found, isUnchecked: true };
    if (fault !== undefined)
      found.push({
        in: 'request',
        path: pointer + fault.path,
        message: fault.message,
        ...shownValue(fault.value),
      });
  }
  return { violations: found };
}

/** The schema of a parameter: in Swagger the parameter itself. */
function schemaOf(
  { tree, document }: Parameter,
  { isSwagger }: ApiTools,
): { readonly schema: unknown; readonly document: ImportFile } {
  if (isSwagger) {
    const { required: _required, in: _in, name: _name, ...schema } = tree;
    const known = swaggerSchemas.get(tree);
    if (known !== undefined) return { schema: known, document };
    swaggerSchemas.set(tree, schema);
    return { schema, document };
  }
  const [media] = Object.values(treeOf(tree['content']));
  return { schema: tree['schema'] ?? memberOf(media, 'schema'), document };
}

/** By parameter, so that each is compiled once. */
const swaggerSchemas = new WeakMap<Tree, Tree>();

interface Places {
  readonly request: ApiRequest;
  readonly path: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
}

/** The value of a parameter; `undefined` when it is not there. */
function readParameter(
  { name, in: place, tree }: Parameter,
  schema: unknown,
  document: ImportFile,
  places: Places,
  tools: ApiTools,
): unknown {
  const types = typesOf(schema, document, tools.references);
  if (isTree(tree['content'])) {
    const text = textsAt(name, place, places)[0];
    return text === undefined ? undefined : parsed(text);
  }
  const writing = writingOf(tree, place);
  const inside = (member: string): ReadonlySet<string> => {
    const { value, document: where } = tools.references.follow({ value: schema, document });
    return typesOf(memberOf(memberOf(value, 'properties'), member), where, tools.references);
  };
  if (types.has('object') && place === 'query') {
    if (writing.style === 'deepObject') return deepObject(name, places.query, inside);
    if (writing.explode) return explodedObject(schema, document, places.query, inside, tools);
  }
  const texts = textsAt(name, place, places);
  const [text] = texts;
  if (text === undefined) return undefined;
  if (types.has('array')) {
    const { value, document: where } = tools.references.follow({ value: schema, document });
    const items = typesOf(memberOf(value, 'items'), where, tools.references);
    // A list of one may stand where the schema allows a text as well.
    if (types.has('string') && texts.length === 1) return text;
    const isSeveral = place === 'query' && writing.explode;
    // Clients write names of exploded lists with brackets as well as without.
    const all = isSeveral ? texts : splitText(text, writing, name);
    return all.map((each) => valueOfText(each, items));
  }
  if (types.has('object')) {
    const members = membersOfTexts(splitText(text, writing, name), writing);
    return Object.fromEntries(members.map(([key, value]) => [key, valueOfText(value, inside(key))]));
  }
  return valueOfText(writing.style === 'label' ? text.replace(/^\./, '') : text, types);
}

function textsAt(name: string, place: string, { request, path, query }: Places): readonly string[] {
  switch (place) {
    case 'path': {
      const text = path.get(name);
      return text === undefined ? [] : [text];
    }
    case 'query': {
      const texts = query.getAll(name);
      return texts.length > 0 ? texts : query.getAll(`${name}[]`);
    }
    case 'header': {
      const value = request.headers[name.toLowerCase()];
      return value === undefined ? [] : [[value].flat().join(', ')];
    }
    default: {
      const header = [request.headers['cookie'] ?? ''].flat().join('; ');
      for (const part of header.split(';')) {
        const at = part.indexOf('=');
        if (at >= 0 && part.slice(0, at).trim() === name) return [part.slice(at + 1).trim()];
      }
      return [];
    }
  }
}

/** `filter[name]=x`; members of members stay as the texts that they are. */
function deepObject(
  name: string,
  query: URLSearchParams,
  typesOfMember: (member: string) => ReadonlySet<string>,
): unknown {
  const members = new Map<string, unknown>();
  for (const [key, text] of query) {
    if (!key.startsWith(`${name}[`) || !key.endsWith(']')) continue;
    const steps = key.slice(name.length + 1, -1).split('][');
    const [member = ''] = steps;
    const types = typesOfMember(member);
    if (steps.length > 1) {
      if (types.has('array'))
        members.set(member, [...([members.get(member) ?? []].flat() as unknown[]), text]);
      else members.set(member, { ...treeOf(members.get(member)), [steps[1] ?? '']: text });
    } else if (types.has('array'))
      members.set(member, [...([members.get(member) ?? []].flat() as unknown[]), text]);
    else members.set(member, valueOfText(text, types));
  }
  return members.size === 0 ? undefined : Object.fromEntries(members);
}

/** The members of the object are parameters of the query themselves. */
function explodedObject(
  schema: unknown,
  document: ImportFile,
  query: URLSearchParams,
  typesOfMember: (member: string) => ReadonlySet<string>,
  { references }: ApiTools,
): unknown {
  const { value } = references.follow({ value: schema, document });
  const members: [string, unknown][] = [];
  for (const name of Object.keys(treeOf(memberOf(value, 'properties')))) {
    const text = query.get(name);
    if (text !== null) members.push([name, valueOfText(text, typesOfMember(name))]);
  }
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
