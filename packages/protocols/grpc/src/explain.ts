import { invalid, type Problem } from '@backlot/core/plugin';
import { GrpcMessage, parseOrKeep } from './message.js';

type Entry = Readonly<Record<string, unknown>>;

/**
 * Makes a call of what `POST /api/explain/grpc` is given: `path` (or `method` alone), `body` (the first request message
 * as an object, or as the journal shows it, with `body_encoding`), `headers` and `remote`.
 *
 * @throws BacklotError `invalid` with a problem per field
 */
export function explainEntry(entry: Entry): GrpcMessage {
  const problems: Problem[] = [];
  const text = (field: string): string | undefined => {
    const value = entry[field];
    if (value === undefined || typeof value === 'string') return value;
    problems.push({ path: `/${field}`, message: `${field} is ${JSON.stringify(value)}; it must be a text` });
    return undefined;
  };
  const path = text('path');
  const method = text('method');
  const name = path ?? method;
  if (name === undefined && problems.length === 0)
    problems.push({ path: '/path', message: 'path is missing; it is /package.Service/Method' });
  const remote = text('remote') ?? '';
  const encoding = text('body_encoding');
  if (encoding !== undefined && encoding !== 'base64')
    problems.push({
      path: '/body_encoding',
      message: `body_encoding is "${encoding}"; it can only be "base64"`,
    });
  const { headers = {}, body: given } = entry;
  if (!isObject(headers)) problems.push({ path: '/headers', message: 'headers must be an object' });
  const body = isObject(given) ? JSON.stringify(given) : (text('body') ?? '{}');
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  const whole = name?.startsWith('/') === true ? name : `/${name ?? ''}`;
  const message = isObject(given) ? given : parseOrKeep(body);
  return new GrpcMessage(whole, remote, () => headers as GrpcMessage['headers'], {
    body: encoding === 'base64' ? Buffer.from(body, 'base64') : body,
    messages: [message],
    isWhole: true,
  });
}

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
