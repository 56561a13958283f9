import { invalid, type Problem } from '@backlot/core/plugin';
import { isHeaderName } from '@backlot/kit/http';
import { SipMessage } from './message.js';
import { isUri } from './wire/uri.js';

/**
 * Makes a request of what `POST /api/explain/sip` is given: `method`, `path` (the Request-URI), `headers` and `body` as
 * the journal shows them.
 *
 * @throws BacklotError `invalid` with a problem per field
 */
export function explainEntry(entry: Readonly<Record<string, unknown>>): SipMessage {
  const { method, path, headers, body, body_encoding: encoding } = entry;
  const problems: Problem[] = [];
  if (typeof method !== 'string' || !isHeaderName(method)) {
    problems.push({
      path: '/method',
      message: `method is ${show(method)}; it must be one word such as INVITE`,
    });
  }
  if (typeof path !== 'string' || !isUri(path)) {
    problems.push({
      path: '/path',
      message: `path is ${show(path)}; it must be the Request-URI, such as sip:alice@example.com`,
    });
  }
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  return new SipMessage({
    method: String(method),
    uri: String(path),
    head: headOf(`${String(method)} ${String(path)} SIP/2.0`, headers),
    size: 0,
    body: typeof body === 'string' ? Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8') : undefined,
    source: { address: '127.0.0.1', port: 0, transport: 'udp' },
  });
}

function headOf(start: string, headers: unknown): string {
  const lines = Object.entries((headers ?? {}) as Readonly<Record<string, unknown>>).flatMap(
    ([name, values]) =>
      [values].flat().map((value) => `${name}: ${String(value).replaceAll(/[\r\n]+/g, ' ')}`),
  );
  return [start, ...lines].join('\r\n');
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}
