import { isUtf8 } from 'node:buffer';
import { readJsonBody, splitPath, type Message, type SplitPath } from '@backlot/core/plugin';
import {
  type Fields,
  type HeaderView,
  NO_FIELDS,
  parseFields,
  parseForm,
  type PartView,
  partViewSteps,
  plainHost,
  readForm,
  readHeaders,
  readPartViews,
  viewBody,
} from '@backlot/kit/http';
import { decodeBase64, decodeText, findCredentials } from './auth/credentials.js';
import type { ConnectionAuth } from './auth/index.js';
import { parseCookies } from './match/cookies.js';
import type { Origin } from './proxy/origin.js';

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
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  /** Whether this is a preflight request that CORS answers when no mock names its method. */
  readonly preflight: boolean;
  /** The server that a client of the proxy means; absent for what is for the listener itself. */
  readonly origin?: Origin | undefined;
}

/** What is decoded of a body. */
export type BodyPart = 'text' | 'json' | 'form' | 'parts';

/** Bytes of a body beyond which it is decoded in steps, between which others are served. */
const LONG_BODY = 256 * 1024;

/** What was decoded of a message so far. */
interface Decoded {
  split?: SplitPath;
  query?: Fields;
  text?: string;
  /** In a list, since `undefined` is not JSON and `null` is. */
  json?: readonly [] | readonly [unknown];
  cookies?: Readonly<Record<string, string>>;
  form?: Fields;
  /** In a list, since a body may have none. */
  parts?: readonly [readonly PartView[] | undefined];
  extras?: Readonly<Record<string, unknown>>;
}

/**
 * A request. Everything beyond the request line is decoded when somebody reads it, once. The journal holds thousands
 * of these, so they are kept small.
 */
export class HttpMessage implements Message {
  readonly method: string;
  /** The path as it came, without the query. */
  readonly path: string;
  readonly remote: string;
  readonly size: number;
  readonly target: string;
  readonly auth: ConnectionAuth | undefined;
  readonly isSecure: boolean;
  readonly preflight: boolean;
  declare readonly body?: Buffer;
  /** See {@link HttpMessageParts}. */
  declare readonly origin?: Origin;

  readonly #rawHeaders: readonly string[];
  #headerView: HeaderView | undefined = undefined;
  #decoded: Decoded | undefined = undefined;
  /** What a mock would have read of a long body, while it can be told to wait. */
  #wanted: BodyPart | undefined = undefined;
  #canWait = false;

  constructor(parts: HttpMessageParts) {
    const { target, rawHeaders } = parts;
    const origin = target.charCodeAt(0) === 47 ? target : originForm(target);
    const mark = origin.indexOf('?');
    this.method = parts.method;
    this.path = mark < 0 ? origin : origin.slice(0, mark);
    this.remote = parts.remote;
    this.target = target;
    this.auth = parts.auth;
    this.isSecure = parts.isSecure;
    this.preflight = parts.preflight;
    this.#rawHeaders = rawHeaders;
    let size = target.length - this.path.length;
    for (const text of rawHeaders) size += text.length + 16;
    this.size = size;
    if (parts.body !== undefined) this.body = parts.body;
    if (parts.origin !== undefined) this.origin = parts.origin;
  }

  /** Header names in lower case; of a repeated header the values joined by commas. */
  get headers(): Readonly<Record<string, string | readonly string[]>> {
    return this.#readHeaders().joined;
  }

  /** The same with a list for a header that came more than once; one object per message. */
  get headersByLine(): Readonly<Record<string, string | readonly string[]>> {
    return this.#readHeaders().byLine;
  }

  /** Each value of a header that came more than once, else its only one. */
  headerValues(name: string): string | readonly string[] | undefined {
    const { joined, repeated } = this.#readHeaders();
    return repeated?.get(name) ?? joined[name];
  }

  /** The host that the request is for, in lower case and without the port of its scheme. */
  get host(): string {
    return plainHost(hostOf(this), this.isSecure);
  }

  get contentType(): string | undefined {
    return this.#readHeaders().joined['content-type'];
  }

  get query(): Fields {
    const mark = this.target.indexOf('?');
    return mark < 0 ? NO_FIELDS : (this.#cache.query ??= parseFields(this.target.slice(mark + 1)));
  }

  get split(): SplitPath {
    return (this.#cache.split ??= splitPath(this.path));
  }

  /** The body as text; as base64 when it is not UTF-8. */
  get text(): string | undefined {
    const { body } = this;
    return body && (this.#cache.text ??= body.toString(isUtf8(body) ? 'utf8' : 'base64'));
  }

  /** Whether the body is JSON; then {@link json} is its value. */
  get isJson(): boolean {
    return this.#readJson().length > 0;
  }

  get json(): unknown {
    return this.#readJson()[0];
  }

  /** Whether the body is so long that it is decoded before it is looked at, in steps: by {@link decode}. */
  get isLong(): boolean {
    return this.body !== undefined && this.body.length > LONG_BODY;
  }

  /** Whether {@link hasToWait} may say so: while who asks can decode it. */
  letWait(canWait: boolean): void {
    this.#canWait = canWait;
  }

  /** Whether a mock that wants to look at this is told later; {@link decode} decodes it meanwhile. */
  hasToWait(part: BodyPart): boolean {
    if (!this.#canWait || this.#decoded?.[part] !== undefined) return false;
    this.#wanted = part;
    return true;
  }

  /** Decodes what was asked for last, in steps for `runInSlices`. */
  *decode(): Generator<undefined, void> {
    const { body } = this;
    if (body === undefined) return;
    const cache = this.#cache;
    if (this.#wanted === 'form') {
      cache.form ??= yield* readForm(this.headers['content-type'], body);
      yield;
      return;
    }
    if (this.#wanted === 'parts') {
      cache.parts ??= [yield* partViewSteps(this.contentType, body)];
      yield;
      return;
    }
    if (cache.text === undefined) {
      const encoding = isUtf8(body) ? 'utf8' : 'base64';
      yield;
      cache.text = body.toString(encoding);
      yield;
    }
    if (this.#wanted !== 'json') return;
    this.#readJson();
    // Who looks at it has a turn of its own, when this was long.
    yield;
  }

  get cookies(): Readonly<Record<string, string>> {
    return (this.#cache.cookies ??= parseCookies(this.headers['cookie']));
  }

  /** The fields of an urlencoded or multipart body. */
  get form(): Fields {
    const { body } = this;
    return body === undefined
      ? NO_FIELDS
      : (this.#cache.form ??= parseForm(this.headers['content-type'], body));
  }

  /** The parts of a multipart body; `undefined` when it is none. */
  get parts(): readonly PartView[] | undefined {
    const { body } = this;
    if (body === undefined) return undefined;
    return (this.#cache.parts ??= [readPartViews(this.contentType, body)])[0];
  }

  /** For templates: `request.cookies`, `request.form`, `request.parts`, `request.scheme`, `request.host`, `request.target`, `request.user`. */
  get extras(): Readonly<Record<string, unknown>> {
    return (this.#cache.extras ??= makeExtras(this));
  }

  /**
   * Lets go of what was decoded, for the journal's sake; it is decoded again when somebody reads it. The headers stay,
   * since authentication knows a request by them.
   */
  forget(): void {
    this.#decoded = undefined;
  }

  get #cache(): Decoded {
    return (this.#decoded ??= {});
  }

  #readHeaders(): HeaderView {
    return (this.#headerView ??= readHeaders(this.#rawHeaders));
  }

  #readJson(): readonly [] | readonly [unknown] {
    return (this.#cache.json ??= this.text === undefined ? [] : readJsonBody(this.text, this.contentType));
  }
}

function makeExtras(message: HttpMessage): Readonly<Record<string, unknown>> {
  const { body, contentType } = message;
  const views = viewBody(
    contentType,
    body,
    () => message.form,
    () => message.parts,
  );
  return Object.defineProperties(views, {
    cookies: { get: () => message.cookies, enumerable: true },
    scheme: { value: message.isSecure ? 'https' : 'http', enumerable: true },
    host: { get: () => hostOf(message), enumerable: true },
    target: { value: message.target, enumerable: true },
    user: { get: () => userOf(message), enumerable: true },
  });
}

/** The name and port by which the client has come: `:authority` in HTTP/2. */
function hostOf({ headers }: HttpMessage): string {
  const host = headers[':authority'] ?? headers['host'];
  return typeof host === 'string' ? host : 'localhost';
}

/** Who the client says it is: by its NTLM handshake, or by Basic credentials. */
function userOf({ auth, headers }: HttpMessage): string | undefined {
  if (auth?.user !== undefined) return auth.user.name;
  const credentials = findCredentials(headers, 'basic');
  const bytes = typeof credentials === 'string' ? undefined : decodeBase64(credentials.rest);
  const [, name] = bytes === undefined ? [] : (/^([^:]*):/.exec(decodeText(bytes)) ?? []);
  return name;
}

/** The path and query of an absolute-form target (RFC 9112, section 3.2.2); `*` and others stay as they are. */
function originForm(target: string): string {
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  if (found === null) return target === '' ? '/' : target;
  const rest = target.slice(found[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
