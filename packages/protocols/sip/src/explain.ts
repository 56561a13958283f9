import { invalid, type Problem } from '@backlot/core/plugin';
import { isHeaderName } from '@backlot/kit/http';
import { SipMessage } from './message.js';
import { isUri } from './wire/uri.js';

/**
 * Makes a request of what `POST /api/explain/sip` is given: `method` and `path` (the Request-URI) as the journal shows
 * them; nothing else counts for a match.
 *
 * @throws BacklotError `invalid` with a problem per field
 */
export function explainEntry({ method, path }: Readonly<Record<string, unknown>>): SipMessage {
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
    head: '',
    size: 0,
    body: undefined,
    source: { address: '127.0.0.1', port: 0, transport: 'udp' },
  });
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}
