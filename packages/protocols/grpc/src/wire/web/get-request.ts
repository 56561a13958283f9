/** What the query of a call by GET says. */
export interface GetRequest {
  readonly isJson: boolean;
  readonly message: Buffer;
  /** The name of the compression of the message. */
  readonly compression: string | undefined;
}

/** Whether a query is that of a call by GET. */
export function isCallQuery(query: string): boolean {
  const fields = new URLSearchParams(query);
  return fields.has('encoding') || fields.has('message') || fields.has('connect');
}

/**
 * Reads the query of a call by GET.
 *
 * @throws Error when it is none
 */
export function readGet(query: string): GetRequest {
  const fields = new URLSearchParams(query);
  const encoding = fields.get('encoding');
  const message = fields.get('message');
  const version = fields.get('connect');
  if (version !== null && version !== 'v1')
    throw new Error(`"connect" in the query must be v1, got ${JSON.stringify(version)}`);
  if (encoding !== 'json' && encoding !== 'proto')
    throw new Error(`"encoding" in the query must be json or proto, got ${JSON.stringify(encoding)}`);
  if (message === null) throw new Error('"message" in the query is missing: it is the request message');
  const isBase64 = fields.get('base64') === '1';
  if (isBase64 && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(message))
    throw new Error('"message" in the query must be base64, since "base64" is 1');
  return {
    isJson: encoding === 'json',
    message: Buffer.from(message, isBase64 ? 'base64' : 'utf8'),
    compression: fields.get('compression') ?? undefined,
  };
}
