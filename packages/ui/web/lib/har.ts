import type { Entry } from './entries.js';
import { bytesOf, oneLine } from './format.js';
import { saveFile } from './save-file.js';

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Names and values; what has several values stands there as often. */
function pairsOf(values: Readonly<Record<string, unknown>> = {}): Pair[] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((each) => ({ name, value: oneLine(each) })),
  );
}

/** What mocks and faults have added to the time of an entry, in milliseconds; no more than it took, by a clock that was driven. */
function delayOf({ delays = {}, duration_ms: took }: Entry): number {
  return Math.min(took, (delays.mock_ms ?? 0) + (delays.fault_ms ?? 0));
}

function urlOf({ protocol, path, headers, query }: Entry): string {
  if (/^https?:/.test(path)) return path;
  const host = oneLine(headers?.['host'] ?? 'localhost');
  const pairs = pairsOf(query).map(({ name, value }): [string, string] => [name, value]);
  const asked = pairs.length === 0 || path.includes('?') ? '' : `?${new URLSearchParams(pairs).toString()}`;
  return `${protocol}://${host}${path.startsWith('/') ? '' : '/'}${path}${asked}`;
}

interface Body {
  readonly body?: string;
  readonly body_encoding?: string;
}

/** How many bytes a body has. */
function sizeOf({ body = '', body_encoding: encoding }: Body): number {
  return encoding === 'base64' ? bytesOf(body).length : new TextEncoder().encode(body).length;
}

function entryOf(entry: Entry): object {
  const { response, body, body_encoding: encoding } = entry;
  const delay = delayOf(entry);
  return {
    startedDateTime: entry.timestamp,
    time: entry.duration_ms,
    request: {
      method: entry.method,
      url: urlOf(entry),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(entry.headers),
      queryString: pairsOf(entry.query),
      headersSize: -1,
      bodySize: sizeOf(entry),
      ...(body === undefined
        ? {}
        : {
            postData: {
              mimeType: oneLine(entry.headers?.['content-type']),
              text: body,
              // HAR has no word for bytes that are sent; fields of one's own begin so.
              ...(encoding === undefined ? {} : { _encoding: encoding }),
            },
          }),
    },
    response: {
      status: Number(response?.status ?? entry.status ?? 0) || 0,
      statusText: oneLine(response?.status ?? entry.status ?? ''),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(response?.headers),
      content: {
        size: sizeOf(response ?? {}),
        mimeType: oneLine(response?.headers?.['content-type']),
        ...(response?.body === undefined ? {} : { text: response.body }),
        ...(response?.body_encoding === undefined ? {} : { encoding: response.body_encoding }),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { blocked: delay, send: 0, wait: Math.max(0, entry.duration_ms - delay), receive: 0 },
    comment: `${entry.protocol}, entry ${entry.id}${entry.matched_id === undefined ? '' : `, mock ${entry.matched_id}`}`,
  };
}

/** Saves entries as an HTTP Archive (HAR 1.2), a file of the browser, with what other protocols have in the fields that are closest. */
export function saveHar(name: string, entries: readonly Entry[]): void {
  const log = { version: '1.2', creator: { name: 'Backlot', version: '1' }, entries: entries.map(entryOf) };
  saveFile(name, new Blob([JSON.stringify({ log }, undefined, 2)], { type: 'application/json' }));
}
