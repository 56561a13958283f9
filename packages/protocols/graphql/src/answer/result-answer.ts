import { encodeBody, HttpAnswer, makeHeaders, shareHeaders, type AnswerHeaders } from '@backlot/kit/http';

/** The media types of results (GraphQL over HTTP, section 4.1). */
export type MediaType = 'application/json' | 'application/graphql-response+json';

/**
 * An answer that holds a result.
 *
 * @param text - the result, as JSON
 */
export function resultAnswer(
  text: string,
  type: MediaType,
  status = 200,
  further: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const body = encodeBody(text);
  const headers: AnswerHeaders = Object.assign(makeHeaders(), further);
  headers['Content-Type'] = `${type}; charset=utf-8`;
  headers['Content-Length'] = body.length;
  return new HttpAnswer(status, shareHeaders(headers), body);
}
