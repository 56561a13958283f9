/** A call that Sentry refuses. */
export class SentryError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const rowsOf = ({ collection }, name) => collection(`sentry:${name}`);

/** Makes the function of a mock of the web API: it checks the token, and answers what `act` throws as Sentry does. */
export function operation(act) {
  return (request, context) => {
    try {
      const token = /^Bearer (.+)$/i.exec(String(request.headers.authorization ?? ''))?.[1];
      if (token === undefined) throw new SentryError(401, 'Authentication credentials were not provided.');
      if (token.includes('invalid')) throw new SentryError(401, 'Invalid token');
      return act({ request, context, params: request.params });
    } catch (error) {
      if (!(error instanceof SentryError)) throw error;
      return { status: error.status, json: { detail: error.message } };
    }
  };
}

/** The row with an id. @throws SentryError 404 */
export function find(context, name, id) {
  const rows = rowsOf(context, name);
  if (rows.has(id)) return rows.get(id);
  throw new SentryError(404, 'The requested resource does not exist');
}

const MAX_PAGE = 100;

/** A page of a list, with the header Link, in which both directions always stand. */
export function page({ request }, list) {
  const { cursor = '0:0:0', per_page: perPage = MAX_PAGE } = request.query;
  const offset = Number(/^\d+:(\d+):[01]$/.exec(cursor)?.[1]);
  const size = Number(perPage);
  if (!Number.isInteger(offset)) throw new SentryError(400, 'Invalid cursor parameter.');
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE)
    throw new SentryError(400, `Invalid per_page value. Must be between 1 and ${MAX_PAGE}.`);
  const link = (rel, at, hasResults) =>
    `<${request.scheme}://${request.host}${request.path}?cursor=0:${at}:0&per_page=${size}>; rel="${rel}"; results="${hasResults}"; cursor="0:${at}:0"`;
  const next = offset + size;
  return {
    headers: {
      Link: [
        link('previous', Math.max(0, offset - size), offset > 0),
        link('next', next, next < list.length),
      ].join(', '),
    },
    json: list.slice(offset, next),
  };
}
