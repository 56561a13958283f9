import {
  compileContent,
  type CompiledMock,
  type CompileTools,
  constantContent,
  type ContentTemplate,
  type PathPattern,
  type Pattern,
  pointTo,
  renderContent,
  type Template,
  testAny,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import type { CoapMessage } from './message.js';
import { Representation } from './representation.js';
import type { MockSchema } from './schemas.js';
import { classOf, CODE, findMethod, METHODS, parseResponseCode } from './wire/codes.js';
import {
  JSON_FORMAT,
  nameOfFormat,
  OCTETS_FORMAT,
  parseFormat,
  TEXT_FORMAT,
} from './wire/content-formats.js';

type CoapMock = ValueOf<typeof MockSchema>;

/** What a mock answers. */
export interface CompiledResponse {
  /** `undefined`: what the method calls for. */
  readonly code: number | undefined;
  readonly payload: ContentTemplate;
  readonly format: number | undefined;
  /** The payload when there is nothing to render. */
  readonly constant: Buffer | undefined;
  /** The finished answer to the newest method, when there is nothing to render. */
  fixed: Representation | undefined;
}

/** A compiled mock. */
export interface CompiledCoap extends CompiledMock<CoapMessage> {
  /** `undefined`: any. */
  readonly method: string | undefined;
  /** What the mock is found by. */
  readonly path: PathPattern;
  /** What the path must match as well. */
  readonly alsoPath: PathPattern | undefined;
  readonly response: CompiledResponse;
  test(message: CoapMessage): TestResult;
}

/** Compiles a mock. */
export function compileMock(mock: CoapMock, tools: CompileTools): CompiledCoap {
  const method = compileMethod(mock.method, tools);
  const { path, alsoPath } = compilePaths(mock, tools);
  const query = Object.entries(mock.query ?? {}).map(([name, source]) => ({
    name,
    pattern: tools.pattern(source, pointTo('/query', name)),
  }));
  const payload = mock.payload === undefined ? undefined : tools.pattern(mock.payload, '/payload');
  const response = compileResponse(mock.response ?? {}, tools);
  return new CoapMatcher(response, method, path, alsoPath, query, payload);
}

interface QueryPattern {
  readonly name: string;
  readonly pattern: Pattern;
}

/** A class, since thousands of mocks with functions of their own are thousands of places that no cache holds. */
class CoapMatcher implements CompiledCoap {
  // What every match reads comes first.
  readonly response: CompiledResponse;
  readonly method: string | undefined;
  readonly #exact: string | undefined;
  readonly alsoPath: PathPattern | undefined;
  readonly #query: readonly QueryPattern[] | undefined;
  readonly #payload: Pattern | undefined;
  readonly path: PathPattern;

  constructor(
    response: CompiledResponse,
    method: string | undefined,
    path: PathPattern,
    alsoPath: PathPattern | undefined,
    query: readonly QueryPattern[],
    payload: Pattern | undefined,
  ) {
    this.response = response;
    this.method = method;
    this.#exact = path.exact;
    this.alsoPath = alsoPath;
    this.#query = query.length === 0 ? undefined : query;
    this.#payload = payload;
    this.path = path;
  }

  params(message: CoapMessage): Record<string, string> {
    const { path, alsoPath } = this;
    const { split } = message;
    return alsoPath === undefined
      ? path.params(split)
      : Object.assign(alsoPath.params(split), path.params(split));
  }

  test(message: CoapMessage): TestResult {
    const { split } = message;
    const { alsoPath, method } = this;
    const payload = this.#payload;
    const fits = this.#exact === undefined ? this.path.test(split) : split.key === this.#exact;
    if (!fits) return () => this.path.reason(split);
    if (alsoPath !== undefined && !alsoPath.test(split)) return () => alsoPath.reason(split);
    if (method !== undefined && message.method !== method)
      return () => `method: got "${message.method}", want "${method}"`;
    for (const { name, pattern } of this.#query ?? []) {
      const value = valueOf(message, name);
      if (!testAny(pattern, value, message))
        return () => pattern.reason(`query ${name}`, firstOf(value), message);
    }
    if (payload !== undefined && !payload.test(message.text, message))
      return () => payload.reason('payload', message.text, message);
    return testAccept(message, this.response);
  }
}

/** What a mock without a `code` answers to a method (RFC 7252 section 5.8). */
function defaultCode(method: string): number {
  if (method === 'GET' || method === 'FETCH') return CODE.CONTENT;
  return method === 'DELETE' ? CODE.DELETED : CODE.CHANGED;
}

/** What a mock answers to a message. */
export function representMock(
  { response }: CompiledCoap,
  message: CoapMessage,
  render: (template: Template) => string,
): Representation {
  const { fixed, constant, payload } = response;
  const code = response.code ?? defaultCode(message.method);
  if (fixed?.code === code) return fixed;
  if (constant !== undefined) return (response.fixed = represent(response, code, constant));
  return represent(response, code, renderContent(payload, render, message.body));
}

function represent(response: CompiledResponse, code: number, payload: Buffer): Representation {
  return new Representation(code, payload, payload.length === 0 ? undefined : formatFor(response, code));
}

/** The content format of a payload that is sent with a code. */
export function formatFor(response: CompiledResponse, code: number): number | undefined {
  if (response.format !== undefined) return response.format;
  // RFC 7252 section 5.5.2: without a format the payload of an error is a text for people.
  if (classOf(code) !== 2) return undefined;
  if (response.payload.bytes !== undefined) return OCTETS_FORMAT;
  return response.payload.target === 'json' ? JSON_FORMAT : TEXT_FORMAT;
}

function compileMethod(source: string | undefined, tools: CompileTools): string | undefined {
  if (source === undefined || source === '' || source === '*') return undefined;
  const method = findMethod(source);
  if (method === undefined) {
    tools.problem(
      '/method',
      `${JSON.stringify(source)} is not a method of CoAP; give one of ${METHODS.join(', ')}, or * for any`,
    );
  }
  return method;
}

function compilePaths(
  mock: CoapMock,
  tools: CompileTools,
): { readonly path: PathPattern; readonly alsoPath: PathPattern | undefined } {
  const source = mock.path ?? '';
  const regex = mock.path_regex ?? '';
  if (!source.startsWith('re:') && source.includes('?')) {
    tools.problem(
      '/path',
      `path ${JSON.stringify(source)} holds a query; give the path alone here and its parameters in "query"` +
        ' (a question mark that is part of the path is written %3F)',
    );
  }
  const path = tools.path(source, '/path');
  if (regex === '') return { path, alsoPath: undefined };
  const second = tools.path(`re:${regex}`, '/path_regex');
  return source === '' || source === '*' ? { path: second, alsoPath: undefined } : { path, alsoPath: second };
}

function compileResponse(
  {
    code,
    payload,
    json,
    payload_base64: base64,
    content_format: formatSource,
  }: NonNullable<CoapMock['response']>,
  tools: CompileTools,
): CompiledResponse {
  const number =
    code === undefined
      ? undefined
      : tools.attempt('/response/code', undefined, () => parseResponseCode(code));
  const format =
    formatSource === undefined
      ? undefined
      : tools.attempt('/response/content_format', undefined, () => parseFormat(formatSource));
  const content = compileContent({ text: payload, json, base64 }, { text: 'payload' }, tools, '/response', {
    contentType: format === undefined ? undefined : nameOfFormat(format),
  });
  return { code: number, payload: content, format, constant: constantContent(content), fixed: undefined };
}

/** RFC 7252 section 5.10.4; errors are answered whatever the client takes. */
function testAccept(message: CoapMessage, response: CompiledResponse): TestResult {
  const { accept } = message;
  if (accept === undefined || response.payload.source === '') return true;
  const format = formatFor(response, response.code ?? defaultCode(message.method));
  if (format === undefined || format === accept || classOf(response.code ?? CODE.CONTENT) !== 2) return true;
  return () => `accept: got "${nameOfFormat(accept)}", the response is "${nameOfFormat(format)}"`;
}

function valueOf({ query }: CoapMessage, name: string): string | readonly string[] | undefined {
  return Object.hasOwn(query, name) ? query[name] : undefined;
}

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value[0];
}
