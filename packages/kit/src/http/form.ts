import { splitParts } from '../mime/multipart.js';
import { readParameters } from '../mime/parameters.js';
import { boundaryOf, readPartHeaders } from '../mime/parts.js';
import { plainRecord } from './plain-record.js';
import { addField, NO_FIELDS, parseFields, readFields, type Fields } from './query.js';

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
  const boundary = boundaryOf(contentType);
  return boundary === undefined ? NO_FIELDS : fieldsOf(body, boundary);
}

/** Reads the named parts (RFC 7578), files like others; texts as UTF-8. */
function fieldsOf(body: Buffer, boundary: string): Fields {
  const fields = plainRecord<string | string[]>();
  for (const { head, content } of splitParts(body, boundary)) {
    const disposition = readPartHeaders(head).get('content-disposition');
    const name = disposition === undefined ? undefined : readParameters(disposition).get('name');
    if (name !== undefined) addField(fields, name, content.toString('utf8'));
  }
  return fields;
}
