import { checkAt, invalid, type Problem } from '@backlot/core/plugin';
import { addField, plainRecord, type Fields } from '@backlot/kit/http';
import { CoapMessage } from './message.js';
import { findMethod, METHODS } from './wire/codes.js';
import { parseFormat } from './wire/content-formats.js';

type Entry = Readonly<Record<string, unknown>>;

/**
 * Makes a request of what `POST /api/explain/coap` is given: `method`, `path`, `query`, `headers` (of which `accept`
 * counts) and `body`, as the journal shows them.
 *
 * @throws BacklotError `invalid` with a problem per field
 */
export function explainEntry(entry: Entry): CoapMessage {
  const problems: Problem[] = [];
  const method = readText(entry, 'method', 'GET', problems);
  const path = readText(entry, 'path', '/', problems);
  const remote = readText(entry, 'remote', '', problems);
  const query = readFields(entry, 'query', problems);
  const headers = readFields(entry, 'headers', problems);
  const body = readBody(entry, problems);
  const known = findMethod(method);
  if (known === undefined) {
    problems.push({
      path: '/method',
      message: `${JSON.stringify(method)} is not a method of CoAP; give one of ${METHODS.join(', ')}`,
    });
  }
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  const accept = headers?.['accept'];
  return new CoapMessage({
    method: known ?? method,
    path,
    remote,
    body,
    query,
    headers,
    accept: typeof accept === 'string' ? checkAt('/headers/accept', () => parseFormat(accept)) : undefined,
  });
}

function readText(entry: Entry, name: string, instead: string, problems: Problem[]): string {
  const value = entry[name];
  if (value === undefined) return instead;
  if (typeof value === 'string') return value;
  problems.push({ path: `/${name}`, message: `${name} is ${JSON.stringify(value)}; it must be a text` });
  return instead;
}

function readBody(entry: Entry, problems: Problem[]): Buffer | undefined {
  const { body, body_encoding: encoding } = entry;
  if (encoding !== undefined && encoding !== 'base64') {
    problems.push({
      path: '/body_encoding',
      message: `body_encoding is ${JSON.stringify(encoding)}; it can only be "base64"`,
    });
  }
  if (body === undefined || body === '') return undefined;
  // A JSON payload may be given as it is, because nobody likes to write JSON inside of a JSON text.
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  return Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8');
}

function readFields(entry: Entry, name: string, problems: Problem[]): Fields | undefined {
  const given = entry[name];
  if (given === undefined) return undefined;
  const fields = plainRecord<string | string[]>();
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    problems.push({ path: `/${name}`, message: `${name} must be an object of texts` });
    return fields;
  }
  for (const [key, value] of Object.entries(given as Entry)) {
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof each === 'string') addField(fields, key, each);
      else {
        problems.push({
          path: `/${name}/${key}`,
          message: `${JSON.stringify(each)} must be a text or a list of texts`,
        });
      }
    }
  }
  return fields;
}
