import { createHash } from 'node:crypto';

/** A call that Discord refuses. */
export class DiscordError extends Error {
  constructor(status, code, message, errors) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** What is wrong with fields of a body, by their place in it. */
export function invalidForm(problems) {
  const errors = {};
  for (const [place, code, message] of problems) {
    let at = errors;
    for (const part of place.split('.')) at = at[part] ??= {};
    (at._errors ??= []).push({ code, message });
  }
  return new DiscordError(400, 50_035, 'Invalid Form Body', errors);
}

const UNKNOWN = {
  application: 10_002,
  channel: 10_003,
  guild: 10_004,
  member: 10_007,
  message: 10_008,
  role: 10_011,
  user: 10_013,
  webhook: 10_015,
  ban: 10_026,
  interaction: 10_062,
  'application command': 10_063,
};

/** There is no such thing. @param what - its name, such as `channel` */
export function unknown(what) {
  const name = what.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return new DiscordError(404, UNKNOWN[what], `Unknown ${what === 'interaction' ? what : name}`);
}

export const BOT = '100000000000000000';
export const rowsOf = ({ collection }, name) => collection(`discord:${name}`);

/** The row with an id. @throws DiscordError 404 */
export function find(context, name, id, what) {
  const rows = rowsOf(context, name);
  if (typeof id === 'string' && rows.has(id)) return rows.get(id);
  throw unknown(what);
}

/**
 * Makes the function of a mock: it checks the token, counts the call in its bucket, and answers what `act` throws as Discord does.
 *
 * @param options.isOpen - needs no token: the path has one
 */
export function operation(act, { isOpen = false } = {}) {
  return (request, context) => {
    const limit = useBucket(request, context);
    try {
      if (limit.isOver) return tooMany(limit);
      if (!isOpen) checkToken(request);
      const answer = act({
        request,
        context,
        params: request.params,
        query: request.query,
        body: bodyOf(request),
      });
      return { ...answer, headers: { ...headersOf(limit), ...answer.headers } };
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      const { status, code, message, errors } = error;
      return {
        status,
        headers: headersOf(limit),
        json: { message, code, ...(errors === undefined ? {} : { errors }) },
      };
    }
  };
}

function checkToken({ headers }) {
  const token = /^(?:Bot|Bearer) (\S+)$/.exec(String(headers.authorization ?? ''))?.[1];
  if (token === undefined || isWrong(token)) throw new DiscordError(401, 0, '401: Unauthorized');
}

export const isWrong = (token) => /invalid|expired|revoked/.test(token);

/** The object of a body: JSON, or the part of a form with files that has it. */
function bodyOf({ body, parts, method }) {
  if (method === 'GET' || method === 'DELETE') return {};
  const part = parts?.payload_json?.body;
  const value = parts === undefined ? body : typeof part === 'string' ? tryJson(part) : (part ?? {});
  if (value === undefined || value === '') return {};
  if (typeof value !== 'object' || value === null)
    throw new DiscordError(400, 50_109, 'The request body contains invalid JSON.');
  return value;
}

function tryJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A bucket is a route and what its path begins with: a channel, a guild or a webhook. */
function useBucket({ params }, { clock, mockId, state, vars }) {
  const { rate_limit: limit, rate_window: seconds } = vars.discord;
  const major = params.channel ?? params.guild ?? params.webhook ?? '';
  const key = `discord:bucket:${mockId}:${major}`;
  const now = clock.now();
  const [since, count] = (state.get(key) ?? '').split(' ').map(Number);
  const isNew = !(now < since + seconds * 1000);
  const start = isNew ? now : since;
  const used = (isNew ? 0 : count) + 1;
  if (used <= limit) state.set(key, `${start} ${used}`);
  return {
    limit,
    isOver: used > limit,
    remaining: Math.max(0, limit - used),
    reset: start / 1000 + seconds,
    after: (start - now) / 1000 + seconds,
    hash: createHash('md5').update(mockId).digest('hex'),
  };
}

function headersOf({ limit, remaining, reset, after, hash }) {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': reset.toFixed(3),
    'X-RateLimit-Reset-After': after.toFixed(3),
    'X-RateLimit-Bucket': hash,
  };
}

const tooMany = (limit) => ({
  status: 429,
  headers: {
    ...headersOf(limit),
    'Retry-After': String(Math.ceil(limit.after)),
    'X-RateLimit-Scope': 'user',
  },
  json: { message: 'You are being rate limited.', retry_after: limit.after, global: false },
});

const EPOCH = 1_420_070_400_000;

/** An id that nothing else has: the time, and a number that rises. */
export function snowflake({ clock, state }) {
  const last = Number(state.get('discord:newest') ?? 0);
  const next = Math.max((clock.now() - EPOCH) * 1024, last + 1);
  state.set('discord:newest', String(next));
  return String(BigInt(next) << 12n);
}

export const timeOf = ({ clock }) => new Date(clock.now()).toISOString().replace('Z', '000+00:00');

/** The number of a query. @throws DiscordError for one that is out of bounds */
export function limitOf(query, usual, most) {
  const limit = Number(query.limit ?? usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw invalidForm([['limit', 'NUMBER_TYPE_MAX', `int value should be from 1 to ${most}.`]]);
  return limit;
}

/** The address by which a client has come. */
export function originOf({ headers, host = headers.host, scheme }, plain = 'http') {
  return `${scheme === 'https' ? `${plain}s` : plain}://${host}/discord`;
}
