import { createHash } from 'node:crypto';
import { limitHeaders, useLimit } from './limits.mjs';

/** A call that GitHub refuses, as its SDKs know it by the status and the message. */
export class GithubError extends Error {
  constructor(status, message, fields = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

export const notFound = () => new GithubError(404, 'Not Found');

/** What is wrong with fields: each with the resource, the field and a code such as `missing_field`. */
export function invalid(resource, field, code = 'missing_field', message = undefined) {
  const error = { resource, field, code, ...(message === undefined ? {} : { message }) };
  return new GithubError(422, 'Validation Failed', { errors: [error] });
}

/** An answer with another status or further headers than usual. */
export class Reply {
  constructor(status, json, headers = {}, bytes = undefined) {
    this.status = status;
    this.json = json;
    this.headers = headers;
    this.bytes = bytes;
  }
}

export const created = (json) => new Reply(201, json);
export const NOTHING = new Reply(204);

/**
 * Makes the function of a mock: it says who calls, counts the call against the limit, answers `304` for what the client has
 * already, and what `act` throws as GitHub does.
 *
 * @param act - takes a {@link Call} and returns JSON, or a {@link Reply}
 * @param options.open - whether anybody may call
 * @param options.free - whether it does not count against the limit
 */
export function operation(act, { open = false, free = false } = {}) {
  return (request, context) => {
    const headers = {
      'X-GitHub-Media-Type': 'github.v3; format=json',
      'X-GitHub-Request-Id': context.random.uuid().slice(0, 18).toUpperCase(),
      'X-GitHub-Api-Version-Selected': '2022-11-28',
    };
    try {
      const login = whoCalls(request, context);
      const call = new Call(request, context, login);
      if (login === undefined && !open) throw new GithubError(401, 'Requires authentication');
      if (!isRead(request) && login?.endsWith(':readonly'))
        throw new GithubError(403, 'Resource not accessible by personal access token');
      const { isOver } = useLimit(call, free ? 0 : 1, true);
      const answer = isOver ? undefined : answerOf(call, act(call));
      // What a client has already costs nothing.
      const limit = useLimit(call, free || isOver || answer.status === 304 ? 0 : 1);
      Object.assign(headers, limitHeaders(limit));
      if (answer !== undefined) return { ...answer, headers: { ...headers, ...answer.headers } };
      const who = login === undefined ? 'your address' : `user ${login}`;
      throw new GithubError(403, `API rate limit exceeded for ${who}.`);
    } catch (error) {
      if (!(error instanceof GithubError)) throw error;
      const { status, message, fields } = error;
      const documentation = 'https://docs.github.com/rest';
      return {
        status,
        headers,
        json: { message, ...fields, documentation_url: documentation, status: String(status) },
      };
    }
  };
}

function answerOf(call, made) {
  const { status, json, headers, bytes } = made instanceof Reply ? made : new Reply(200, made);
  const all = { ...call.headers, ...headers };
  if (bytes !== undefined) return { status, headers: all, body_base64: bytes };
  return json === undefined
    ? { status, headers: all }
    : withTag(call.request, { status, headers: all, json });
}

const isRead = ({ method }) => method === 'GET' || method === 'HEAD';

function withTag(request, answer) {
  if (!isRead(request) || answer.status !== 200) return answer;
  const digest = createHash('sha256').update(JSON.stringify(answer.json)).digest('hex');
  const tag = `W/"${digest}"`;
  const headers = {
    ...answer.headers,
    ETag: tag,
    'Cache-Control': 'private, max-age=60, s-maxage=60',
    Vary: 'Accept, Authorization',
  };
  const known = String(request.headers['if-none-match'] ?? '').split(',');
  const isKnown = known.some((one) => one.trim() === tag || one.trim() === tag.slice(2));
  return isKnown ? { status: 304, headers } : { ...answer, headers };
}

/** The login of the token, or of the name of Basic authentication; `undefined` for nobody. */
function whoCalls({ headers }, { collection }) {
  const given = String(headers.authorization ?? '');
  const basic = /^Basic (.+)$/i.exec(given)?.[1];
  const token =
    basic === undefined
      ? /^(?:Bearer|token) (.+)$/i.exec(given)?.[1]
      : Buffer.from(basic, 'base64')
          .toString()
          .replace(/^[^:]*:/, '');
  if (token === undefined || token === '') return undefined;
  if (/invalid|expired|revoked/.test(token)) throw new GithubError(401, 'Bad credentials');
  const name = /^(?:gh[a-z]|github_pat)_(\w[\w-]*)$/.exec(token)?.[1] ?? 'octocat';
  if (name === 'readonly') return 'octocat:readonly';
  return collection('github:users').has(name) ? name : 'octocat';
}

const REST = /^\/github\/repos\/[^/]+\/[^/]+\/(.+)$/;

/** One call, with what is there for it. */
export class Call {
  /** Headers that the answer has beside the usual ones. */
  headers = {};

  constructor(request, context, login) {
    this.request = request;
    this.context = context;
    this.token = login;
    this.login = login?.replace(/:readonly$/, '');
    this.params = request.params;
    this.query = request.query;
    this.api = `${request.scheme}://${request.host}/github`;
  }

  /** The body: a JSON object. */
  get body() {
    const { body, raw_body: raw } = this.request;
    if (raw === undefined || raw.length === 0) return {};
    if (typeof body !== 'object' || body === null) throw new GithubError(400, 'Problems parsing JSON');
    if (Array.isArray(body)) throw new GithubError(400, 'Body should be a JSON object');
    return body;
  }

  get now() {
    return new Date(this.context.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  rows(name) {
    return this.context.collection(`github:${name}`);
  }

  find(name, key) {
    const rows = this.rows(name);
    if (!rows.has(String(key))) throw notFound();
    return rows.get(String(key));
  }

  /** The row of a kind with this key, when it belongs to the repository. @throws GithubError 404 */
  findOf(name, repo, key) {
    const row = this.find(name, key);
    if (row.repo !== repo.full_name) throw notFound();
    return row;
  }

  /** The rows of a kind that belong to a repository, oldest first. */
  of(name, repo) {
    return this.rows(name)
      .list()
      .filter((row) => row.repo === repo.full_name);
  }

  nextId() {
    const { state } = this.context;
    const id = Number(state.get('github:ids') ?? 1000) + 1;
    state.set('github:ids', String(id));
    return id;
  }

  /** What of the path stands behind a name, such as the path of a file behind `contents`. */
  rest(name) {
    const found = REST.exec(this.request.path)?.[1] ?? '';
    if (!found.startsWith(`${name}/`)) return '';
    try {
      return decodeURIComponent(found.slice(name.length + 1)).replace(/^\/+|\/+$/g, '');
    } catch {
      throw new GithubError(400, 'Problems parsing the path');
    }
  }

  /** @throws GithubError for what is not a text with something in it */
  text(field, resource, from = this.body) {
    const value = from[field];
    if (value === undefined || value === null || value === '') throw invalid(resource, field);
    if (typeof value !== 'string') throw invalid(resource, field, 'invalid');
    return value;
  }
}

const MAX_PAGE = 100;

/** A page of a list, with the header `Link`. */
export function page(call, list, wrap = (items) => items) {
  const { per_page: perPage = '30', page: number = '1' } = call.query;
  const size = Math.min(MAX_PAGE, Math.max(1, Number.parseInt(perPage, 10) || 30));
  const at = Math.max(1, Number.parseInt(number, 10) || 1);
  const last = Math.max(1, Math.ceil(list.length / size));
  const link = (to, rel) => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(to));
    return `<${call.api}${call.request.path.replace(/^\/github/, '')}?${query}>; rel="${rel}"`;
  };
  const links = [
    ...(at > 1 ? [link(at - 1, 'prev')] : []),
    ...(at < last ? [link(at + 1, 'next'), link(last, 'last')] : []),
    ...(at > 1 ? [link(1, 'first')] : []),
  ];
  if (links.length > 0) call.headers.Link = links.join(', ');
  return wrap(list.slice((at - 1) * size, at * size));
}

/** The id of an object in GraphQL. */
export function nodeId(type, key) {
  return `${type}_${Buffer.from(String(key)).toString('base64url')}`;
}

/** The key that {@link nodeId} has made an id of. */
export function keyOf(id) {
  const [, type, key] = /^([A-Z]+)_([\w-]+)$/.exec(String(id)) ?? [];
  return type === undefined ? undefined : { type, key: Buffer.from(key, 'base64url').toString() };
}

export function sorted(list, { sort = 'created', direction = 'desc' }) {
  const field = sort === 'updated' ? 'updated_at' : sort === 'comments' ? 'comments' : 'created_at';
  const up = [...list].sort((a, b) =>
    a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : (a.number ?? 0) - (b.number ?? 0),
  );
  return direction === 'asc' ? up : up.reverse();
}
