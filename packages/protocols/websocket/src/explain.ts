import { stringify } from 'node:querystring';
import { invalid, messageOf, parseBase64, type Problem } from '@backlot/core/plugin';
import { DialectMessage } from './dialects/dialect-message.js';
import { pathOf, readUnit } from './dialects/explained.js';
import { Handshake } from './handshake.js';
import { WebsocketMessage } from './message.js';

/**
 * Makes a message of what `POST /api/explain/websocket` is given: `method` (MESSAGE unless given), `path` (which may
 * hold a query), `headers` and `query` of the handshake, `subprotocol`, `body`, `body_encoding`, and `code` of a close; or, in a dialect, `dialect`
 * with the fields of its messages in place of `body`.
 *
 * @throws BacklotError `invalid` with a problem per field
 */
export function explainMessage(entry: Readonly<Record<string, unknown>>): WebsocketMessage {
  const problems: Problem[] = [];
  const text = (name: string, instead: string): string => {
    const value = entry[name];
    if (value === undefined) return instead;
    if (typeof value === 'string') return value;
    problems.push({ path: `/${name}`, message: `${name} is ${JSON.stringify(value)}; it must be a text` });
    return instead;
  };
  const fields = (name: string): Readonly<Record<string, string | readonly string[]>> => {
    const value = entry[name];
    if (value === undefined || isFields(value)) return value ?? {};
    problems.push({ path: `/${name}`, message: `${name} must be an object of texts or lists of texts` });
    return {};
  };
  const method = text('method', 'MESSAGE').toUpperCase();
  if (method !== 'MESSAGE' && method !== 'CONNECT' && method !== 'CLOSE') {
    problems.push({ path: '/method', message: `method is "${method}"; it can be CONNECT, MESSAGE or CLOSE` });
  }
  const encoding = text('body_encoding', '');
  if (encoding !== '' && encoding !== 'base64') {
    problems.push({
      path: '/body_encoding',
      message: `body_encoding is "${encoding}"; it can only be "base64"`,
    });
  }
  const path = text('path', '/');
  const query = stringify(fields('query'));
  const handshake = new Handshake({
    target: query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
    rawHeaders: Object.entries(fields('headers')).flatMap(([name, value]) =>
      [value].flat().flatMap((each) => [name, each]),
    ),
    remote: text('remote', ''),
  });
  if (entry['subprotocol'] !== undefined) handshake.subprotocol = text('subprotocol', '');
  const body = readBody(text('body', ''), encoding === 'base64', problems);
  const code = entry['code'];
  if (code !== undefined && typeof code !== 'number')
    problems.push({ path: '/code', message: `code is ${JSON.stringify(code)}; it must be a number` });
  const closing = typeof code === 'number' ? code : undefined;
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  const kind = method as WebsocketMessage['method'];
  const unit = readUnit(entry, body);
  if (unit === undefined) return new WebsocketMessage(kind, handshake, body, closing);
  if (entry['path'] === undefined) return explainMessage({ ...entry, path: pathOf(unit) });
  // It is not known whether the connection speaks the dialect, unless the entry says so.
  if (entry['dialect'] !== undefined) handshake.dialect = unit.dialect;
  return new DialectMessage(kind, handshake, unit, undefined, closing);
}

function readBody(text: string, isBase64: boolean, problems: Problem[]): string | Buffer {
  if (!isBase64) return text;
  try {
    return parseBase64(text);
  } catch (thrown) {
    problems.push({ path: '/body', message: messageOf(thrown) });
    return '';
  }
}

function isFields(value: unknown): value is Readonly<Record<string, string | readonly string[]>> {
  const isText = (each: unknown): boolean => typeof each === 'string';
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => isText(each) || (Array.isArray(each) && each.every(isText)))
  );
}
