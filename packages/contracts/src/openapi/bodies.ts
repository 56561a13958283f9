import type { ContractViolation, ImportFile } from '@backlot/core/plugin';
import { UNCHECKED } from '../schema/checks.js';
import type { Side } from '../schema/translate.js';
import { MOST_BYTES } from '../shared/most-bytes.js';
import { isTree, listOf, memberOf, treeOf, type Tree } from '../shared/values.js';
import type { ApiTools, Operation } from './document.js';
import { shownValue, type Headers } from './messages.js';
import { typesOf, valueOfText } from './texts.js';

/** A content that a document describes. */
export interface Content {
  readonly type: string;
  readonly media: Tree;
  readonly document: ImportFile;
}

/** The content type of a message without parameters, in lower case; empty when it says none. */
export function typeIn(headers: Headers): string {
  const given = [headers['content-type'] ?? ''].flat()[0];
  return String(given).split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Whether a content type is that of JSON. */
export function isJson(type: string): boolean {
  return /[/+]json$/.test(type) || type === 'application/json';
}

/** The content of a document that a type belongs to: the very same, else a range of types. */
export function contentFor(contents: readonly Content[], type: string): Content | undefined {
  const clean = (written: string): string => written.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const exact = contents.find((content) => clean(content.type) === type);
  if (exact !== undefined) return exact;
  const family = `${type.split('/', 1)[0] ?? ''}/*`;
  return contents.find(({ type: written }) => clean(written) === family || clean(written) === '*/*');
}

/** What a request body may be; `undefined` when the operation takes none. */
export function requestContents(
  { tree, document, shared }: Operation,
  { references, isSwagger, root }: ApiTools,
): { readonly contents: readonly Content[]; readonly isRequired: boolean } | undefined {
  if (!isSwagger) {
    const body = references.follow({ value: tree['requestBody'], document });
    if (!isTree(body.value)) return undefined;
    const contents = Object.entries(treeOf(body.value['content'])).map(([type, media]) => ({
      type,
      media: treeOf(media),
      document: body.document,
    }));
    return { contents, isRequired: body.value['required'] === true };
  }
  for (const { list, document: from } of [shared, { list: tree['parameters'], document }]) {
    for (const given of listOf(list)) {
      const { value, document: where } = references.follow({ value: given, document: from });
      if (memberOf(value, 'in') !== 'body') continue;
      const types = listOf(tree['consumes'] ?? root['consumes']).filter((one) => typeof one === 'string');
      const media = { schema: memberOf(value, 'schema') };
      const contents = (types.length === 0 ? ['application/json'] : types).map((type) => ({
        type,
        media,
        document: where,
      }));
      return { contents, isRequired: memberOf(value, 'required') === true };
    }
  }
  return undefined;
}

/** What was found of a part of a message. */
export interface PartFindings {
  readonly violations: readonly ContractViolation[];
  /** Whether something of it is too long, or its check too costly, for it to be held to its schema. */
  readonly isUnchecked?: boolean;
}

/** What is wrong with a body of a type that the document has. */
export function checkBody(
  { media, document }: Content,
  type: string,
  body: string | Uint8Array,
  side: Side,
  tools: ApiTools,
): PartFindings {
  const { schema } = media;
  if (schema === undefined) return { violations: [] };
  if (body.length > MOST_BYTES) return { violations: [], isUnchecked: true };
  const value = readBody(type, body, schema, document, tools);
  if (value === undefined) return { violations: [] };
  if ('fault' in value) return { violations: [{ in: side, path: '/body', message: value.fault }] };
  const fault = tools.checks.findFurther(schema, document, side, value.value);
  if (fault === UNCHECKED) return { violations: [], isUnchecked: true };
  if (fault === undefined) return { violations: [] };
  const { path, message } = fault;
  return { violations: [{ in: side, path: `/body${path}`, message, ...shownValue(fault.value) }] };
}

/** A body as the value that a schema describes; `undefined` for one that only its type describes. */
function readBody(
  type: string,
  body: string | Uint8Array,
  schema: unknown,
  document: ImportFile,
  { references }: ApiTools,
): { readonly value: unknown } | { readonly fault: string } | undefined {
  const text = (): string =>
    typeof body === 'string'
      ? body
      : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  if (isJson(type)) {
    try {
      return { value: JSON.parse(text()) as unknown };
    } catch {
      return { fault: 'must be JSON' };
    }
  }
  if (type === 'application/x-www-form-urlencoded') {
    const { value, document: where } = references.follow({ value: schema, document });
    const fields = new URLSearchParams(text());
    // Members of members have as many writings as there are clients.
    if ([...fields.keys()].some((name) => name.includes('['))) return undefined;
    const members = [...new Set(fields.keys())].map((name): [string, unknown] => {
      const member = memberOf(memberOf(value, 'properties'), name);
      const types = typesOf(member, where, references);
      const texts = fields.getAll(name);
      if (!types.has('array')) return [name, valueOfText(texts[0] ?? '', types)];
      const followed = references.follow({ value: member, document: where });
      const items = typesOf(memberOf(followed.value, 'items'), followed.document, references);
      return [name, texts.map((each) => valueOfText(each, items))];
    });
    return { value: Object.fromEntries(members) };
  }
  if (type.startsWith('text/') && typesOf(schema, document, references).has('string'))
    return { value: text() };
  return undefined;
}
