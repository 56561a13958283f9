/** What CORS needs of a request; header names are in lower case. */
interface Asking {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The headers with which a browser lets a page of another origin read an answer (WHATWG Fetch, section 3.2.3). */
export function corsHeaders({ headers }: Asking): Readonly<Record<string, string>> | undefined {
  const origin = headers['origin'];
  if (typeof origin !== 'string') return undefined;
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': '*',
    Vary: 'Origin',
  };
}

/** Whether raw headers are those of a preflight request. */
export function isPreflight(method: string, headers: NodeJS.Dict<string | string[]>): boolean {
  return (
    method === 'OPTIONS' &&
    headers['origin'] !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/** The further headers of the answer to a preflight request: whatever it asks for is allowed. */
export function preflightHeaders({ headers }: Asking): Readonly<Record<string, string>> {
  const wanted = headers['access-control-request-headers'];
  return {
    'Access-Control-Allow-Methods': String(headers['access-control-request-method']),
    ...(wanted === undefined ? {} : { 'Access-Control-Allow-Headers': String(wanted) }),
    'Access-Control-Max-Age': '600',
  };
}
