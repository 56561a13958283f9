import { isUtf8 } from 'node:buffer';
import { isLargeJson } from '@backlot/core/plugin';
import { parseFields, type Fields } from '@backlot/kit/http';
import { isNestedTooDeep } from './json-depth.js';

/** What a client asks for (GraphQL over HTTP, section 5). */
export interface GraphqlRequest {
  /** The document; absent in a request that names one that is known. */
  readonly query: string | undefined;
  /** The id of a document of the configuration. */
  readonly documentId: string | undefined;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

/** The most operations of one request. */
const MAX_BATCH = 100;

/** What a client sent is no request; the message says why. */
export class RequestProblem extends Error {}

/**
 * Reads a body of `application/json`: a request, or a list of them.
 *
 * @throws RequestProblem
 */
export function readJsonRequest(body: Buffer): GraphqlRequest | readonly GraphqlRequest[] {
  return readRequests(parseJson(decode(body), 'the body'));
}

/**
 * Reads a JSON value: a request, or a list of them.
 *
 * @throws RequestProblem
 */
export function readRequests(value: unknown): GraphqlRequest | readonly GraphqlRequest[] {
  if (!Array.isArray(value)) return readRequest(value);
  if (value.length === 0 || value.length > MAX_BATCH)
    throw new RequestProblem(
      `the body is a list of ${value.length}; it must have 1 to ${MAX_BATCH} requests`,
    );
  return value.map(readRequest);
}

function readRequest(value: unknown): GraphqlRequest {
  if (!isObject(value)) {
    throw new RequestProblem(`the body is ${kindOf(value)}; it must be an object with "query"`);
  }
  return readParameters(value);
}

/**
 * Reads a body of `application/graphql`, which is the document alone; the rest may be in the url.
 *
 * @throws RequestProblem
 */
export function readDocumentRequest(body: Buffer, search: string): GraphqlRequest {
  const query = decode(body);
  if (query.trim() === '') throw new RequestProblem('the body is empty; it must be a GraphQL document');
  return readSearch(search, query);
}

/**
 * Reads the parameters of a url.
 *
 * @param search - what follows the `?`
 * @param query - the document, when it is not among them
 * @throws RequestProblem
 */
export function readSearch(search: string, query?: string): GraphqlRequest {
  const fields = parseFields(search);
  const json = (name: string): unknown => {
    const text = single(fields, name);
    return text === undefined || text === '' ? undefined : parseJson(text, name);
  };
  return readParameters({
    query: query ?? single(fields, 'query'),
    operationName: single(fields, 'operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
    documentId: single(fields, 'documentId'),
  });
}

function readParameters(given: Readonly<Record<string, unknown>>): GraphqlRequest {
  const { query, operationName } = given;
  const documentId = given['documentId'] ?? undefined;
  const extensions = readObject(given['extensions'], 'extensions');
  if (documentId !== undefined && typeof documentId !== 'string')
    throw new RequestProblem(`documentId is ${kindOf(documentId)}; it must be a text`);
  const hasQuery = query !== undefined && query !== null && query !== '';
  if (!hasQuery && documentId === undefined && (extensions?.['persistedQuery'] ?? undefined) === undefined) {
    throw new RequestProblem('the request has no query; give the GraphQL document as "query"');
  }
  if (hasQuery && typeof query !== 'string')
    throw new RequestProblem(`query is ${kindOf(query)}; it must be a text`);
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new RequestProblem(`operationName is ${kindOf(operationName)}; it must be a text`);
  }
  return {
    query: hasQuery ? query : undefined,
    documentId,
    operationName: operationName === null || operationName === '' ? undefined : operationName,
    variables: readObject(given['variables'], 'variables'),
    extensions,
  };
}

function readObject(value: unknown, name: string): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw new RequestProblem(`${name} is ${kindOf(value)}; it must be an object`);
}

function single(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (typeof value !== 'object') return value;
  throw new RequestProblem(`${name} is given ${value.length} times in the url; give it once`);
}

function decode(body: Buffer): string {
  if (!isUtf8(body)) throw new RequestProblem('the body is not UTF-8');
  return body.toString('utf8');
}

/**
 * The value of a JSON text.
 *
 * @param name - what it is, for the problem
 * @throws RequestProblem
 */
export function parseJson(text: string, name: string): unknown {
  if (text === '') throw new RequestProblem(`${name} is empty; it must be JSON`);
  // Whether it has too many values is known soon where it has; how deep it is nested is known at its end.
  if (isLargeJson(text)) throw new RequestProblem(`${name} holds more than 250,000 values`);
  if (isNestedTooDeep(text)) throw new RequestProblem(`${name} is nested too deep`);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new RequestProblem(`${name} is not JSON: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
