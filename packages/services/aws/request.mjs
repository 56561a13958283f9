/** The scope of a request's credential: who signed it, for which region and service; of one that is not signed what is known. */
export function signerOf({ headers, query }) {
  const given =
    /Credential=([^,\s]+)/.exec(headers.authorization ?? '')?.[1] ?? textOf(query['X-Amz-Credential']);
  if (given === undefined) return { region: 'us-east-1' };
  const [service, region, , ...key] = given.split('/').reverse().slice(1);
  return { accessKey: key.reverse().join('/'), region: region ?? 'us-east-1', service };
}

/** The body as bytes: those of the message itself, since copying megabytes would hold up others. */
export function bytesOf({ raw_body: body }) {
  if (body === undefined) return Buffer.alloc(0);
  return typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.length);
}

/** The first of values that may be repeated. */
export function textOf(value) {
  return Array.isArray(value) ? value[0] : value;
}

/** When a request was signed, in milliseconds; `undefined` when it does not say. */
export function signedAt({ headers, query }) {
  const text = textOf(headers['x-amz-date']) ?? textOf(query['X-Amz-Date']);
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '');
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Where a client has reached the service, for links in answers: below its path where that was asked for. */
export function addressOf({ scheme, host, path }, base) {
  // A host name or a port of its own stands for the path, and a link with the path leads there as well.
  return `${scheme}://${host}${path.startsWith(base) ? base : ''}`;
}
