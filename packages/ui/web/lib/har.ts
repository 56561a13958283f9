import type { Entry } from './entries.js';
import { oneLine } from './format.js';

/** What mocks and faults have added to the time of an entry, in milliseconds; no more than it took, by a clock that was driven. */
function delayOf({ delays = {}, duration_ms: took }: Entry): number {
  return Math.min(took, (delays.mock_ms ?? 0) + (delays.fault_ms ?? 0));
}

/** Entries as an HTTP Archive (HAR 1.2), with what other protocols have in the fields that are closest. */
function harOf(entries: readonly Entry[]): string {
  const list = (values: Readonly<Record<string, unknown>> = {}): { name: string; value: string }[] =>
    Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
  return JSON.stringify(
    {
      log: {
        version: '1.2',
        creator: { name: 'Backlot', version: '1' },
        entries: entries.map((entry) => ({
          startedDateTime: entry.timestamp,
          time: entry.duration_ms,
          request: {
            method: entry.method,
            url: /^https?:/.test(entry.path)
              ? entry.path
              : `${entry.protocol}://${oneLine(entry.headers?.['host'] ?? 'localhost')}${entry.path.startsWith('/') ? '' : '/'}${entry.path}`,
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: list(entry.headers),
            queryString: list(entry.query),
            headersSize: -1,
            bodySize: entry.body?.length ?? 0,
            ...(entry.body === undefined
              ? {}
              : { postData: { mimeType: oneLine(entry.headers?.['content-type']), text: entry.body } }),
          },
          response: {
            status: Number(entry.response?.status ?? 0) || 0,
            statusText: String(entry.response?.status ?? ''),
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: list(entry.response?.headers),
            content: {
              size: entry.response?.body?.length ?? 0,
              mimeType: oneLine(entry.response?.headers?.['content-type']),
              ...(entry.response?.body === undefined ? {} : { text: entry.response.body }),
              ...(entry.response?.body_encoding === undefined
                ? {}
                : { encoding: entry.response.body_encoding }),
            },
            redirectURL: '',
            headersSize: -1,
            bodySize: -1,
          },
          cache: {},
          timings: {
            blocked: delayOf(entry),
            send: 0,
            wait: Math.max(0, entry.duration_ms - delayOf(entry)),
            receive: 0,
          },
        })),
      },
    },
    undefined,
    2,
  );
}

/** Saves entries as a file of the browser. */
export function saveHar(name: string, entries: readonly Entry[]): void {
  const text = harOf(entries);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
