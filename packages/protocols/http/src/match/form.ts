import { addField, NO_FIELDS, parseFields, plainRecord, readFields, type Fields } from '@backlot/kit/http';
import { splitParts } from './multipart.js';
import { readParameters } from './parameters.js';

/** RFC 2046, section 5.1.1. */
const MAX_BOUNDARY = 70;
const DISPOSITION = 'content-disposition';

/** The fields of a form body: urlencoded, or the parts of a multipart body with a name; nothing for other types. */
export function parseForm(contentType: string | readonly string[] | undefined, body: Buffer): Fields {
  return isUrlencoded(contentType) ? parseFields(body.toString('utf8')) : parseMultipart(contentType, body);
}

/** The same of a body that may be long, for `runInSlices`. */
export function* readForm(
  contentType: string | readonly string[] | undefined,
  body: Buffer,
): Generator<undefined, Fields> {
  return isUrlencoded(contentType) ? yield* readFields(body) : parseMultipart(contentType, body);
}

function isUrlencoded(contentType: string | readonly string[] | undefined): boolean {
  return essenceOf(contentType) === 'application/x-www-form-urlencoded';
}

function essenceOf(contentType: string | readonly string[] | undefined): string {
  const type = typeof contentType === 'string' ? contentType : '';
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function parseMultipart(contentType: string | readonly string[] | undefined, body: Buffer): Fields {
  if (typeof contentType !== 'string' || essenceOf(contentType) !== 'multipart/form-data') return NO_FIELDS;
  const boundary = readParameters(contentType).get('boundary') ?? '';
  return boundary === '' || boundary.length > MAX_BOUNDARY ? NO_FIELDS : fieldsOf(body, boundary);
}

/** Reads the named parts (RFC 7578), files like others; texts as UTF-8. */
function fieldsOf(body: Buffer, boundary: string): Fields {
  const fields = plainRecord<string | string[]>();
  for (const { head, content } of splitParts(body, boundary)) {
    const name = nameOf(head);
    if (name !== undefined) addField(fields, name, content.toString('utf8'));
  }
  return fields;
}

/** The name in the `Content-Disposition` of a part. */
function nameOf(head: Buffer): string | undefined {
  const lines = head.toString('utf8').split('\r\n');
  for (const [index, line] of lines.entries()) {
    const colon = line.indexOf(':');
    if (line.slice(0, colon).trimEnd().toLowerCase() !== DISPOSITION) continue;
    let value = line.slice(colon + 1);
    // A header may go on in the next line, when that begins with white space.
    for (let next = index + 1; /^[ \t]/.test(lines[next] ?? ''); next += 1) value += lines[next];
    return readParameters(value).get('name');
  }
  return undefined;
}
