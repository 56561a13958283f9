import { addField, NO_FIELDS, parseFields, plainRecord, type Fields } from '@backlot/kit';

const LONGEST_BOUNDARY = 70;
const MOST_PARTS = 1000;

/** The fields of a form body: urlencoded, or the parts of a multipart body with a name; nothing for other types. */
export function parseForm(contentType: string | readonly string[] | undefined, body: Buffer): Fields {
  const type = typeof contentType === 'string' ? contentType : '';
  const essence = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (essence === 'application/x-www-form-urlencoded') {
    return parseFields(body.toString('utf8'));
  }
  const boundary = essence === 'multipart/form-data' ? boundaryOf(type) : undefined;
  return boundary === undefined ? NO_FIELDS : parseMultipart(body, boundary);
}

function boundaryOf(contentType: string): string | undefined {
  const found = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  // RFC 2046, section 5.1.1.
  return boundary !== undefined && boundary.length <= LONGEST_BOUNDARY ? boundary : undefined;
}

/** Reads the named parts (RFC 7578); texts as UTF-8. */
function parseMultipart(body: Buffer, boundary: string): Fields {
  const fields = plainRecord<string | string[]>();
  const delimiter = Buffer.from(`--${boundary}`);
  let at = body.indexOf(delimiter);
  for (let parts = 0; at >= 0 && parts < MOST_PARTS; parts += 1) {
    const start = at + delimiter.length;
    const next = body.indexOf(delimiter, start);
    if (next < 0) break;
    readPart(body.subarray(start, next), fields);
    at = next;
  }
  return fields;
}

function readPart(part: Buffer, fields: Record<string, string | string[]>): void {
  const headEnd = part.indexOf('\r\n\r\n');
  if (headEnd < 0) return;
  const disposition = /^content-disposition:.*?[;\s]name="((?:[^"\\]|\\.)*)"/im.exec(
    part.toString('utf8', 0, headEnd),
  );
  const name = disposition?.[1];
  if (name === undefined) return;
  const end =
    part.length >= 2 && part.toString('latin1', part.length - 2) === '\r\n' ? part.length - 2 : part.length;
  addField(fields, name, part.toString('utf8', Math.min(headEnd + 4, end), end));
}
