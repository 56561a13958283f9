import { isTree, textOf, type Tree } from '@backlot/contracts';
import { isJsonType } from '../shared/answer.js';
import type { HttpMessage } from './http-message.js';

/** An event, as it is sent. */
export interface CloudEvent {
  /** Where it stands in the file. */
  readonly place: string;
  readonly type: string;
  readonly content: StructuredContent | BinaryContent;
}

/** The event is the message (structured mode). */
export interface StructuredContent {
  readonly mode: 'structured';
  readonly event: Tree;
}

/** The data are the message, and attributes are headers (binary mode). */
export interface BinaryContent {
  readonly mode: 'binary';
  /** The attributes without `datacontenttype`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  readonly data: { readonly json: unknown } | { readonly text: string };
}

const REQUIRED = ['id', 'source', 'type'];
const VERSIONS: readonly unknown[] = ['1.0', '0.3'];

/** Whether a value has the shape of an event. */
export function isEvent(value: unknown): value is Tree {
  return isTree(value) && typeof value['specversion'] === 'string' && typeof value['type'] === 'string';
}

/** What is wrong with an event, as CloudEvents 1.0 has it; `undefined` when nothing is. */
export function problemOf(event: Tree): string | undefined {
  if (!VERSIONS.includes(event['specversion']))
    return `the version "${textOf(event['specversion'])?.slice(0, 50) ?? ''}" is not known; 1.0 is`;
  const missing = REQUIRED.find((name) => typeof event[name] !== 'string' || event[name] === '');
  if (missing !== undefined) return `"${missing}" must be a text that is not empty`;
  if (event['data'] !== undefined && event['data_base64'] !== undefined)
    return 'it has both "data" and "data_base64"';
  for (const [name, value] of Object.entries(event))
    if (name !== 'data' && name !== 'data_base64' && (isTree(value) || Array.isArray(value)))
      return `the attribute "${name.slice(0, 50)}" must be a text, a number or a boolean`;
  return undefined;
}

/** An event whose attributes are headers of a request; `undefined` when there are none. */
export function binaryEvent({
  headers,
  body,
}: HttpMessage): { readonly attributes: Tree; readonly content: BinaryContent } | undefined {
  const attributes = Object.fromEntries(
    [...headers].flatMap(([name, value]): [string, string][] =>
      name.startsWith('ce-') ? [[name.slice(3), decoded(value)]] : [],
    ),
  );
  if (attributes['specversion'] === undefined) return undefined;
  const contentType = headers.get('content-type');
  return {
    attributes,
    content: { mode: 'binary', attributes, contentType, data: dataOf(body, contentType) },
  };
}

function dataOf(body: string, contentType: string | undefined): BinaryContent['data'] {
  if (!isJsonType(contentType)) return { text: body };
  try {
    return { json: JSON.parse(body) as unknown };
  } catch {
    return { text: body };
  }
}

/** Values of headers have what is not ASCII in percent signs. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
