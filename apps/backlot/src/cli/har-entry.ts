import { STATUS_CODES } from 'node:http';
import type { JournalEntry } from '@backlot/core';

type Pairs = readonly { readonly name: string; readonly value: string }[];

/**
 * An exchange as an entry of HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec). One of another protocol than HTTP has the url of
 * its server, and what is said in its terms.
 *
 * @param url - the url of the server of its kind
 */
export function entryOfHar(
  entry: JournalEntry,
  url = `${entry.protocol}://localhost`,
): Record<string, unknown> {
  const { method, path, headers, query, body, response, matched_id: matched, near_misses: misses } = entry;
  const status = response?.status ?? entry.status;
  const code = typeof status === 'number' ? status : 0;
  const sent = response?.body;
  const why = misses?.[0];
  return {
    startedDateTime: entry.timestamp,
    time: entry.duration_ms,
    request: {
      method,
      url: urlOf(url, path, query),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(headers),
      queryString: pairsOf(query),
      headersSize: -1,
      bodySize: body === undefined ? 0 : sizeOf(body, entry.body_encoding),
      ...(body === undefined
        ? {}
        : {
            postData: {
              mimeType: headerOf(headers, 'content-type'),
              text: body,
              ...(entry.body_encoding === undefined ? {} : { comment: 'base64' }),
            },
          }),
    },
    response: {
      status: code,
      statusText: typeof status === 'string' ? status : (STATUS_CODES[code] ?? ''),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(response?.headers),
      content: {
        size: sent === undefined ? 0 : sizeOf(sent, response?.body_encoding),
        mimeType: headerOf(response?.headers, 'content-type'),
        ...(sent === undefined ? {} : { text: sent }),
        ...(response?.body_encoding === undefined ? {} : { encoding: 'base64' }),
      },
      redirectURL: headerOf(response?.headers, 'location'),
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: entry.duration_ms, receive: 0 },
    comment:
      matched === undefined
        ? `no mock${why === undefined ? '' : ` (closest ${why.mock_id}: ${why.reason})`}`
        : `mock ${matched}`,
    _protocol: entry.protocol,
    _id: entry.id,
  };
}

function urlOf(url: string, path: string, query: JournalEntry['query']): string {
  const parameters = new URLSearchParams(
    pairsOf(query).map(({ name, value }): [string, string] => [name, value]),
  );
  const text = parameters.toString();
  return `${url}${path.startsWith('/') ? '' : '/'}${path.startsWith('/') ? path : encodeURIComponent(path)}${text === '' ? '' : `?${text}`}`;
}

function pairsOf(values: JournalEntry['headers']): Pairs {
  return Object.entries(values ?? {}).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each) => ({ name, value: each })),
  );
}

function headerOf(headers: JournalEntry['headers'], wanted: string): string {
  return pairsOf(headers).find(({ name }) => name.toLowerCase() === wanted)?.value ?? '';
}

function sizeOf(text: string, encoding: 'base64' | undefined): number {
  return Buffer.byteLength(text, encoding ?? 'utf8');
}
