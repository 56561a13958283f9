import { isUtf8 } from 'node:buffer';
import { parse as parseQuery } from 'node:querystring';
import { splitPath, type Message, type SplitPath } from '@backlot/core/plugin';
import type { ConnectionAuth } from './auth/index.js';
import { parseCookies } from './match/cookies.js';
import { parseForm } from './match/form.js';
import { readHeaders, type HeaderView } from './wire/headers.js';

/** Fields that came in a request, by name; several values when a name came more than once. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** What a message is made of. */
export interface HttpMessageParts {
  readonly method: string;
  /** The request target as it came: a path with its query, an absolute url, or `*`. */
  readonly target: string;
  /** Names and values in turn, as node gives them. */
  readonly rawHeaders: readonly string[];
  readonly remote: string;
  readonly body: Buffer | undefined;
  /** The state of the connection's authentication; absent for a message that is only explained. */
  readonly auth: ConnectionAuth | undefined;
  /** Whether this is a preflight request that CORS answers when no mock names its method. */
  readonly preflight: boolean;
}

const NO_FIELDS: Fields = Object.freeze(Object.create(null) as Fields);
const NOT_JSON: unique symbol = Symbol('not JSON');

/** A request. Everything beyond the request line is decoded when somebody reads it, once. */
export class HttpMessage implements Message {
  readonly method: string;
  /** The path as it came, without the query. */
  readonly path: string;
  readonly remote: string;
  readonly size: number;
  readonly target: string;
  readonly auth: ConnectionAuth | undefined;
  readonly preflight: boolean;
  declare readonly body?: Buffer;

  readonly #rawHeaders: readonly string[];
  readonly #queryText: string | undefined;
  #headerView: HeaderView | undefined;
  #query: Fields | undefined;
  #split: SplitPath | undefined;
  #text: string | undefined;
  #json: unknown = undefined;
  #jsonTried = false;
  #cookies: Readonly<Record<string, string>> | undefined;
  #form: Fields | undefined;
  #extras: Readonly<Record<string, unknown>> | undefined;

  constructor(parts: HttpMessageParts) {
    const { target, rawHeaders } = parts;
    const origin = target.charCodeAt(0) === 47 ? target : originForm(target);
    const mark = origin.indexOf('?');
    this.method = parts.method;
    this.path = mark < 0 ? origin : origin.slice(0, mark);
    this.remote = parts.remote;
    this.target = target;
    this.auth = parts.auth;
    this.preflight = parts.preflight;
    this.#queryText = mark < 0 ? undefined : origin.slice(mark + 1);
    this.#rawHeaders = rawHeaders;
    let size = target.length - this.path.length;
    for (const text of rawHeaders) size += text.length + 16;
    this.size = size;
    if (parts.body !== undefined) this.body = parts.body;
  }

  /** Header names in lower case; of a repeated header the values joined by commas. */
  get headers(): Readonly<Record<string, string | readonly string[]>> {
    return this.#readHeaders().joined;
  }

  /** Each value of a header that came more than once, else its only one. */
  headerValues(name: string): string | readonly string[] | undefined {
    const { joined, repeated } = this.#readHeaders();
    return repeated?.get(name) ?? joined[name];
  }

  get query(): Fields {
    if (this.#query === undefined) {
      this.#query = this.#queryText === undefined ? NO_FIELDS : (parseQuery(this.#queryText, '&', '=', { maxKeys: 0 }) as Fields);
    }
    return this.#query;
  }

  get split(): SplitPath {
    return (this.#split ??= splitPath(this.path));
  }

  /** The body as text; as base64 when it is not UTF-8. */
  get text(): string | undefined {
    if (this.#text === undefined && this.body !== undefined) {
      this.#text = this.body.toString(isUtf8(this.body) ? 'utf8' : 'base64');
    }
    return this.#text;
  }

  /** Whether the body is JSON; then {@link json} is its value. */
  get isJson(): boolean {
    if (!this.#jsonTried) {
      this.#jsonTried = true;
      this.#json = this.text === undefined ? NOT_JSON : parseJson(this.text);
    }
    return this.#json !== NOT_JSON;
  }

  get json(): unknown {
    return this.isJson ? this.#json : undefined;
  }

  get cookies(): Readonly<Record<string, string>> {
    return (this.#cookies ??= parseCookies(this.headers['cookie']));
  }

  /** The fields of an urlencoded or multipart body. */
  get form(): Fields {
    return (this.#form ??= this.body === undefined ? NO_FIELDS : parseForm(this.headers['content-type'], this.body));
  }

  /** For templates: `request.cookies`, `request.form`, `request.target`. */
  get extras(): Readonly<Record<string, unknown>> {
    this.#extras ??= makeExtras(this);
    return this.#extras;
  }

  #readHeaders(): HeaderView {
    return (this.#headerView ??= readHeaders(this.#rawHeaders));
  }
}

function makeExtras(message: HttpMessage): Readonly<Record<string, unknown>> {
  return {
    get cookies() {
      return message.cookies;
    },
    get form() {
      return message.form;
    },
    target: message.target,
  };
}

/** The path and query of an absolute-form target (RFC 9112, section 3.2.2); `*` and others stay as they are. */
function originForm(target: string): string {
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  if (found === null) return target === '' ? '/' : target;
  const rest = target.slice(found[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOT_JSON;
  }
}
