import { page, problem, refusal } from './answers.mjs';
import { OAuthError, PageError } from './errors.mjs';

/** Rows of one kind that are kept: the oldest go, so that a long load test does not end for want of room. */
const MAX_ROWS = 10_000;

/** What a provider does unless the `vars` of its service say otherwise; times are in seconds. */
const DEFAULTS = {
  issuer: '',
  auto_login: 'hint',
  any_client: false,
  pkce_methods: ['S256'],
  rotate_refresh_tokens: true,
  access_token_seconds: 3600,
  id_token_seconds: 3600,
  refresh_token_seconds: 86_400,
  code_seconds: 60,
  session_seconds: 36_000,
  device_code_seconds: 600,
  device_interval_seconds: 1,
};

/** One provider, for one request: where it is, what it has, and what the time is. */
export class Provider {
  /**
   * @param settings - what the service is: see `createProvider`
   * @param flaw - what is wrong with the tokens that it gives now: see `FLAWS`
   */
  constructor(settings, request, context, flaw = {}) {
    this.settings = settings;
    this.request = request;
    this.context = context;
    this.flaw = flaw;
    this.options = { ...DEFAULTS, ...context.vars[settings.name] };
    this.now = Math.floor(context.clock.now() / 1000);
    this.realm = request.params.realm;
    this.path = settings.pathOf?.(request) ?? settings.path;
    this.origin = originOf(request);
    this.issuer =
      this.options.issuer === ''
        ? this.origin + this.path
        : this.options.issuer + (settings.below?.(request) ?? '');
  }

  /** The address of an endpoint, such as `token`. */
  url(endpoint) {
    return this.issuer + this.settings.endpoints[endpoint];
  }

  /** The key that signs with an algorithm. */
  keyFor(alg = 'RS256') {
    const { name, keys } = this.settings;
    return `${name}:${this.flaw.nextKey === true && alg === 'RS256' ? keys.next : keys[alg]}`;
  }

  /** The keys of the key set: `keySet` of the flaw says whether the next one stands beside the first one or in its place. */
  get keyNames() {
    const { name, keys } = this.settings;
    const { next, RS256: first, ...others } = keys;
    const { keySet } = this.flaw;
    const of = { both: [next, first], next: [next] };
    return [...(of[keySet] ?? [first]), ...Object.values(others)].map((key) => `${name}:${key}`);
  }

  /** All keys that may have signed a token. */
  get allKeyNames() {
    const { name, keys } = this.settings;
    return Object.values(keys).map((key) => `${name}:${key}`);
  }

  rows(kind) {
    return this.context.collection(`${this.settings.name}:${kind}`);
  }

  /** The row with this id, unless it is one of another realm or has expired. */
  find(kind, id) {
    const rows = this.rows(kind);
    const row = typeof id === 'string' && rows.has(id) ? rows.get(id) : undefined;
    if (row === undefined || (this.realm !== undefined && row.realm !== this.realm)) return undefined;
    return row.expires !== undefined && row.expires <= this.now ? undefined : row;
  }

  /** Adds a row under a new id, of which the oldest makes room. */
  add(kind, row, length = 32) {
    const rows = this.rows(kind);
    let { id } = row;
    while (id === undefined || rows.has(id)) id = this.context.random.string(length);
    if (rows.size >= MAX_ROWS) {
      for (const oldest of rows.values()) {
        rows.remove(oldest[rows.key]);
        break;
      }
    }
    const realm = this.realm === undefined ? {} : { realm: this.realm };
    return rows.create({ ...row, ...realm, id });
  }

  remove(kind, id) {
    if (this.rows(kind).has(id)) this.rows(kind).remove(id);
  }

  /** Removes all tokens of a grant, or of a session. */
  revoke(field, value) {
    for (const { id } of [...this.rows('tokens').values()].filter((row) => row[field] === value))
      this.rows('tokens').remove(id);
  }
}

/** Where the client has found the server; a proxy says what it has changed. */
function originOf({ headers, scheme, host: asked }) {
  const first = (name) => headers[name]?.split(',')[0].trim();
  const host = first('x-forwarded-host') ?? asked;
  return `${first('x-forwarded-proto') ?? scheme}://${host}`;
}

/** Makes the function of a mock: what `act` throws goes to programs as OAuth says it, and to people as a page. */
export function operation(settings, act, flaw) {
  return async (request, context) => {
    try {
      const provider = new Provider(settings, request, context, flaw);
      settings.check?.(provider);
      return await act(provider);
    } catch (error) {
      if (error instanceof PageError)
        return page('We are sorry', problem(error.message), { status: error.status });
      if (error instanceof OAuthError) return refusal(error);
      throw error;
    }
  };
}
