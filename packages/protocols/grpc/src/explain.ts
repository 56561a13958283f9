import { invalid, pointTo, type Problem } from '@backlot/core/plugin';
import { plainHost } from '@backlot/kit/http';
import { GrpcMessage, parseOrKeep } from './message.js';
import { TIMEOUT } from './wire/timeout.js';

/** A `grpc-timeout` has eight digits. */
const MOST_MS = 100_000_000;

type Entry = Readonly<Record<string, unknown>>;

/**
 * Makes a call of what `POST /api/explain/grpc` is given: `path` (or `method` alone), `body` (the first request message
 * as an object, or as the journal shows it, with `body_encoding`), `headers`,
 * `deadline` in milliseconds, and `remote`, which is the `peer` of mocks.
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
  const { body: given } = entry;
  const headers = readHeaders(entry, problems);
  const body = isObject(given) ? JSON.stringify(given) : (text('body') ?? '{}');
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  const whole = name?.startsWith('/') === true ? name : `/${name ?? ''}`;
  const message = isObject(given) ? given : parseOrKeep(body);
  return new GrpcMessage(
    whole,
    remote,
    { host: hostOf(headers), show: () => headers },
    {
      body: encoding === 'base64' ? Buffer.from(body, 'base64') : body,
      messages: [message],
      isWhole: true,
    },
  );
}

/** The host that the headers of an entry name, whichever scheme it was. */
function hostOf({ ':authority': authority, host }: GrpcMessage['headers']): string {
  return plainHost(plainHost(String(authority ?? host ?? ''), true), false);
}

/** Keys are in lower case on the wire, and a deadline is a header as well. */
function readHeaders({ headers = {}, deadline }: Entry, problems: Problem[]): GrpcMessage['headers'] {
  const read = new Map<string, string | readonly string[]>();
  if (!isObject(headers)) problems.push({ path: '/headers', message: 'headers must be an object' });
  for (const [name, value] of Object.entries(isObject(headers) ? headers : {})) {
    if (typeof value === 'string' || isTexts(value)) read.set(name.toLowerCase(), value);
    else
      problems.push({
        path: pointTo('/headers', name),
        message: `header "${name}" is ${JSON.stringify(value)}; it must be a text or a list of texts`,
      });
  }
  if (Number.isInteger(deadline) && Number(deadline) >= 0 && Number(deadline) < MOST_MS)
    read.set(TIMEOUT, `${Number(deadline)}m`);
  else if (deadline !== undefined)
    problems.push({
      path: '/deadline',
      message: `deadline is ${JSON.stringify(deadline)}; it must be a whole number of milliseconds below ${MOST_MS}`,
    });
  return Object.fromEntries(read);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
