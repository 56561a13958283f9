import type { CompileTools, Pointer } from '../contract/tools.js';
import { ownMemory } from '../journal/retain.js';
import type { Template } from '../templates/template.js';
import { writeJson } from './json-size.js';

/** What an answer carries, as a mock says it: a text, a JSON value, or bytes. */
export interface ContentDefinition {
  /** A template. */
  readonly text?: string | undefined;
  readonly json?: unknown;
  /** Bytes themselves where a function has returned them. */
  readonly base64?: string | Uint8Array | undefined;
}

/** The fields of a {@link ContentDefinition} as the kind calls them, such as `body`, `json`, `body_base64`. */
export interface ContentNames {
  readonly text: string;
  /** `json` when absent. */
  readonly json?: string;
  /** The name of the text with `_base64` behind when absent. */
  readonly base64?: string;
}

/** What an answer carries, compiled. */
export interface ContentTemplate extends Template {
  /** There when it was given as bytes, which need not be text; rendering gives them as text then. */
  readonly bytes: Buffer | undefined;
  /** Whether it was given as a JSON value. */
  readonly isJson: boolean;
}

type TemplateOptions = NonNullable<Parameters<CompileTools['template']>[2]>;

const NO_BASE64 = /[^A-Za-z0-9+/]/;

/**
 * Compiles what an answer carries; more than one of its forms is a problem.
 *
 * @param at - the object that has the fields
 * @param options - how values are escaped in the text
 */
export function compileContent(
  { text, json, base64 }: ContentDefinition,
  names: ContentNames,
  tools: CompileTools,
  at: Pointer,
  options: TemplateOptions = {},
): ContentTemplate {
  const { text: textName, json: jsonName = 'json', base64: base64Name = `${names.text}_base64` } = names;
  const given = [
    ...(text === undefined ? [] : [textName]),
    ...(json === undefined ? [] : [jsonName]),
    ...(base64 === undefined ? [] : [base64Name]),
  ];
  if (given.length > 1) {
    tools.problem(
      `${at}/${given.at(-1) ?? ''}`,
      `${given.join(' and ')} cannot stand together; each says what the answer carries, so leave one`,
    );
  }
  if (json !== undefined) return compileJson(json, tools, `${at}/${jsonName}`);
  if (base64 !== undefined) return compileBytes(base64, tools, `${at}/${base64Name}`);
  const template = tools.template(text ?? '', `${at}/${textName}`, options);
  return Object.assign(template, {
    bytes: undefined,
    isJson: false,
  });
}

/** The bytes of an answer that is always the same; `undefined` when something has to be rendered. */
export function constantContent(content: ContentTemplate): Buffer | undefined {
  if (content.bytes !== undefined) return content.bytes;
  return content.constant ? ownMemory(Buffer.from(content.source, 'utf8')) : undefined;
}

/**
 * The bytes of an answer.
 *
 * @param render - renders a template for the message
 * @param received - the bytes of the message, which a text that is nothing but `{{request.raw_body}}` gives back as they
 * came
 */
export function renderContent(
  content: ContentTemplate,
  render: (template: Template) => string,
  received: Uint8Array | string | undefined,
): Buffer {
  if (content.bytes !== undefined) return content.bytes;
  if (content.isWholeBody && typeof received === 'object') return toBuffer(received);
  return Buffer.from(render(content), 'utf8');
}

/**
 * Reads base64 as RFC 4648, section 4, has it; white space is left out. Bytes stay as they are: a function of a mock may give
 * them where a mock has base64.
 *
 * @throws Error when it is none
 */
export function parseBase64(text: string | Uint8Array): Buffer {
  if (typeof text !== 'string') return toBuffer(text);
  const quick = decodeWhole(text);
  if (quick !== undefined) return ownMemory(quick);
  const compact = text.replaceAll(/\s+/g, '');
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0;
  // One class of letters: a repeated group recurses, and tens of millions of letters overflow the stack.
  if (compact.length % 4 === 0 && !NO_BASE64.test(compact.slice(0, compact.length - padding)))
    return ownMemory(Buffer.from(compact, 'base64'));
  throw new Error(`${JSON.stringify(text.slice(0, 100))} is not base64; bytes 0 to 2 are "AAEC"`);
}

/**
 * The bytes of base64 in which nothing is left out, which costs a tenth of looking at each letter: whatever else the decoder
 * skips makes the bytes fewer. It takes letters of base64url as well, and looks at the lower half of wide characters.
 */
function decodeWhole(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return undefined;
  if (Buffer.byteLength(text) !== text.length) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}

function compileJson(json: unknown, tools: CompileTools, at: Pointer): ContentTemplate {
  const value = tools.value(json, at);
  const isConstant = value.constant;
  const source = tools.attempt(at, 'null', () => writeJson(json));
  return {
    source,
    constant: isConstant,
    isWholeBody: false,
    target: 'json',
    bytes: undefined,
    isJson: true,
    render: (scope) => writeJson(value.render(scope)),
  };
}

function compileBytes(base64: string | Uint8Array, tools: CompileTools, at: Pointer): ContentTemplate {
  const bytes = tools.attempt(at, Buffer.alloc(0), () => parseBase64(base64));
  return {
    // Not decoded before somebody wants the text, which hardly anybody does.
    get source() {
      return bytes.toString('utf8');
    },
    constant: true,
    isWholeBody: false,
    target: 'text',
    bytes,
    isJson: false,
    render: () => bytes.toString('utf8'),
  };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
