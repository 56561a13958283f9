/** A call that Slack refuses: the answer is a 200 with `ok: false`, and the SDKs know it by `error`. */
export class SlackError extends Error {
  constructor(error, fields = {}) {
    super(error);
    this.error = error;
    this.fields = fields;
  }
}

/** Arguments that are missing or of a wrong form, as Slack tells of them. */
export function invalidArguments(...messages) {
  return new SlackError('invalid_arguments', {
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  });
}

export const TEAM = 'T0BACKLOT';
export const APP = 'A0BACKLOT';
export const BOT = 'B0BACKLOT';
export const BOT_USER = 'U0BACKLOT';

/**
 * Makes the function of a mock: it reads the arguments and who calls, and answers what `act` throws as Slack does.
 *
 * @param act - takes the arguments, who calls and what functions are given, and returns what stands beside `ok`
 * @param options.needs - arguments that must be there
 * @param options.token - `app` for calls with an app-level token, `none` for those that need none
 */
export function operation(act, { needs = [], token = 'any' } = {}) {
  return (request, context) => {
    const headers = { 'X-Slack-Req-Id': context.random.uuid().replaceAll('-', '') };
    try {
      const args = readArguments(request);
      const me = token === 'none' ? undefined : whoCalls(request, args, token);
      const missing = needs.filter((name) => args[name] === undefined || args[name] === '');
      if (missing.length > 0)
        throw invalidArguments(...missing.map((name) => `missing required field: ${name}`));
      return {
        headers: { ...headers, 'X-OAuth-Scopes': context.vars.slack.scopes },
        json: { ok: true, ...act({ args, me, request, context }) },
      };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return { headers, json: { ok: false, error: error.error, ...error.fields } };
    }
  };
}

/** Arguments stand in the query, in a form, or in an object of JSON; the token may stand among them. */
function readArguments({ query, form, body, headers }) {
  const type = String(headers['content-type'] ?? '');
  if (/\bjson\b/.test(type)) {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new SlackError(body === undefined || body === '' ? 'invalid_post_type' : 'json_not_object');
    return { ...query, ...body };
  }
  return { ...query, ...form };
}

function whoCalls({ headers }, args, kind) {
  const token = /^Bearer (.+)$/i.exec(String(headers.authorization ?? ''))?.[1] ?? args.token;
  if (typeof token !== 'string' || token === '') throw new SlackError('not_authed');
  if (token.includes('invalid')) throw new SlackError('invalid_auth');
  if (token.includes('revoked')) throw new SlackError('token_revoked');
  if (token.includes('expired')) throw new SlackError('token_expired');
  const isOfApp = token.startsWith('xapp-');
  if (!isOfApp && !/^xox[bpe][-.]/.test(token)) throw new SlackError('invalid_auth');
  if (isOfApp !== (kind === 'app')) throw new SlackError('not_allowed_token_type');
  const user = /^xoxp-([UW]\w+)/.exec(token)?.[1];
  return user === undefined ? { user: BOT_USER, bot: BOT } : { user };
}

/** An argument that is a value of JSON, or the text of one. */
export function jsonOf(args, name, error = 'invalid_json') {
  const value = args[name];
  if (typeof value !== 'string') return value;
  if (value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new SlackError(error);
  }
}

/** An argument that says yes or no, by any of the ways in which SDKs write it. */
export function isOn(value) {
  return value === true || value === 'true' || value === '1' || value === 1;
}

/** A list of ids: with commas, or a list. */
export function idsOf(value) {
  return (Array.isArray(value) ? value : String(value ?? '').split(',')).map(String).filter(Boolean);
}

/** The rows of a kind of object, such as `users`. */
export function rowsOf({ collection }, name) {
  return collection(`slack:${name}`);
}

/** The row with an id. @throws SlackError with `error` when there is none */
export function find(context, name, id, error) {
  const rows = rowsOf(context, name);
  if (typeof id === 'string' && rows.has(id)) return rows.get(id);
  throw new SlackError(error);
}

export function secondsOf({ clock }) {
  return Math.floor(clock.now() / 1000);
}

/** An id such as `C0A1B2C3D4`. */
export function newId({ random }, letter) {
  return `${letter}0${random.string(9).toUpperCase()}`;
}

/** A time stamp that nothing else has: seconds with six decimals, later than the one before. */
export function newTimestamp({ clock, state }) {
  const last = Number(state.get('slack:newest') ?? 0);
  const micros = Math.max(clock.now() * 1000, last + 1);
  state.set('slack:newest', String(micros));
  return `${Math.floor(micros / 1_000_000)}.${String(micros % 1_000_000).padStart(6, '0')}`;
}

const MAX_PAGE = 1000;

/** A page of a list, by the cursor of Slack. @param name - what the list is called in the answer */
export function page(list, { cursor, limit }, name, usual = 100) {
  const size = limit === undefined || limit === '' ? usual : Number(limit);
  if (!Number.isInteger(size) || size < 0 || size > MAX_PAGE) throw new SlackError('invalid_limit');
  const start = cursor === undefined || cursor === '' ? 0 : readCursor(cursor);
  if (start > list.length) throw new SlackError('invalid_cursor');
  const end = start + (size || usual);
  const next = end < list.length ? Buffer.from(`next:${end}`).toString('base64') : '';
  return { [name]: list.slice(start, end), response_metadata: { next_cursor: next } };
}

function readCursor(cursor) {
  const place = /^next:(\d{1,9})$/.exec(Buffer.from(String(cursor), 'base64').toString())?.[1];
  if (place === undefined) throw new SlackError('invalid_cursor');
  return Number(place);
}

/** The address by which a client has come, for links. */
export function originOf({ headers, host = headers.host, scheme }, plain = 'http') {
  return `${scheme === 'https' ? `${plain}s` : plain}://${host}/slack`;
}
