import type { IncomingMessage } from 'node:http';
import { CONNECTION_HEADERS, makeHeaders, type AnswerHeaders } from '../http/headers.js';
import { rewriteHeader, type OwnPlace } from './rewrite-header.js';

/** The headers of an answer of an upstream as clients get them: without those of its connection, and with places that are ours. */
export function passedHeaders(
  answer: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  own: OwnPlace,
): AnswerHeaders {
  const { rawHeaders } = answer;
  const dropped = new Set([...CONNECTION_HEADERS, 'trailer']);
  for (const name of (answer.headers.connection ?? '').split(',')) dropped.add(name.trim().toLowerCase());
  const headers = makeHeaders();
  const names = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const key = name.toLowerCase();
    if (dropped.has(key)) continue;
    const value = rewriteHeader(key, rawHeaders[index + 1] ?? '', own);
    const known = names.get(key);
    if (known === undefined) {
      names.set(key, name);
      headers[name] = value;
    } else headers[known] = [headers[known] ?? '', value].flat().map(String);
  }
  return headers;
}
