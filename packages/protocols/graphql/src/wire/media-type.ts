import type { MediaType } from '../answer/result-answer.js';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const ASKS_FOR_GRAPHQL = /graphql-response\+json/i;

/** The media type of the answer: `application/graphql-response+json` when it is asked for and nothing is liked more. */
export function chooseMediaType(accept: string | undefined): MediaType {
  if (accept === undefined || !ASKS_FOR_GRAPHQL.test(accept)) return JSON_TYPE;
  let json = 0;
  let graphql = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (name === GRAPHQL_TYPE) graphql = Math.max(graphql, weight);
    else if (name === JSON_TYPE) json = Math.max(json, weight);
  }
  return graphql > 0 && graphql >= json ? GRAPHQL_TYPE : JSON_TYPE;
}

/** The quality value of a media range (RFC 9110, section 12.4.2); 1 unless it says otherwise. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = given === undefined ? 1 : Number(given.slice(2));
  return Number.isNaN(weight) ? 1 : weight;
}

/** What the body of a POST request is. */
export type BodyType = 'json' | 'document' | 'form';

/**
 * Reads the headers that say what a body is.
 *
 * @returns a text that says why the body cannot be read, when it is of another type
 */
export function readBodyType(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): { readonly type: BodyType } | string {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    return `content-encoding ${JSON.stringify(contentEncoding)} is not supported; send the body as it is`;
  }
  if (contentType === JSON_TYPE) return JSON_BODY;
  const [name = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    return `the body must be UTF-8, but the content-type has ${charset}`;
  }
  if (name.trim() === JSON_TYPE) return JSON_BODY;
  if (name.trim() === 'application/graphql') return DOCUMENT_BODY;
  if (name.trim() === 'multipart/form-data') return FORM_BODY;
  return contentType === undefined
    ? 'a POST request needs a content-type: application/json, application/graphql or multipart/form-data'
    : `content-type ${JSON.stringify(contentType)} is not supported; use application/json, application/graphql or multipart/form-data`;
}

const JSON_BODY = { type: 'json' } as const;
const DOCUMENT_BODY = { type: 'document' } as const;
const FORM_BODY = { type: 'form' } as const;
