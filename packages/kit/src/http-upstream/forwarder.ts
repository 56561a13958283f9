import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { isForbiddenAddress, type Upstream } from '@backlot/core/plugin';
import { CONNECTION_HEADERS } from '../http/headers.js';
import { timers } from '../timers.js';
import { CONNECT_TIMEOUT, readAuthorities, upstreamLookup } from '../upstream/connect-upstream.js';
import { isKnownCoding } from './decode-content.js';
import { below } from './rewrite-header.js';

/** Headers that are not those of the next connection, and those that are written anew. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  'content-length',
  'expect',
  'host',
  'proxy-authorization',
  'trailer',
]);
const NO_BODY_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
/** Methods that do the same twice as once (RFC 9110, section 9.2.2), so that they can be sent again. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);
const MAX_SOCKETS = 256;

/** What of a request is sent beside its headers. */
export interface ForwardedRequest {
  readonly method: string;
  /** The path, without what follows it. */
  readonly path: string;
  /** The target as it came, of which what follows the path is sent. */
  readonly target: string;
  readonly body?: Buffer | undefined;
}

/** A request that is sent. */
export interface Sent {
  readonly message: ForwardedRequest;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** Whether codings were taken off the body. */
  readonly isDecoded: boolean;
  /** What stands before the path here and not at the server; nothing when absent. */
  readonly mount?: string | undefined;
  /** Called with the answer when its head is there. */
  readonly take: (answer: IncomingMessage) => void;
  /** Called in place of `take` when the upstream switches to another protocol; the request is one for that when it is there. */
  readonly upgrade?: ((answer: IncomingMessage, socket: Socket, head: Buffer) => void) | undefined;
  /** Called once when there is none, or it breaks off before its head. */
  readonly fail: (error: unknown) => void;
}

/** How a forwarder sends. */
export interface ForwarderOptions {
  /** Whether answers are to be decoded: then the upstream is asked only for codings that are known here. */
  readonly decodes: boolean;
  /** The authorities of its certificate, as they were read at the start; the public ones when absent. */
  readonly authorities?: Buffer | undefined;
  /** Milliseconds in which the upstream must take a connection. */
  readonly connectTimeout?: number;
}

/** Sends requests to an upstream. */
export class Forwarder {
  readonly #upstream: Upstream;
  readonly #options: ForwarderOptions;
  readonly #agent: http.Agent;
  readonly #tls: ConnectionOptions;
  readonly #host: string;

  constructor(upstream: Upstream, options: ForwarderOptions) {
    this.#upstream = upstream;
    this.#options = options;
    const { isSecure, verify, host } = upstream;
    const ca = options.authorities ?? readAuthorities(upstream);
    const kept = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_SOCKETS };
    this.#tls = isSecure
      ? {
          rejectUnauthorized: verify,
          ...(isIP(host) === 0 && { servername: host }),
          ...(ca !== undefined && { ca }),
        }
      : {};
    this.#agent = isSecure ? new https.Agent({ ...kept, ...this.#tls }) : new http.Agent(kept);
    this.#host = new URL(upstream.url.replace(/^(?:tcp|tls):\/\//, 'http://')).host;
  }

  /**
   * Sends a request as its client has, to the host of the upstream. One that met a kept connection which the upstream had closed
   * meanwhile is sent once more over a new one.
   *
   * @returns a function that gives it up; nothing is called then
   */
  send(sent: Sent): () => void {
    const { message, fail } = sent;
    const { host } = this.#upstream;
    let isOver = false;
    const end = (conclude: () => void): void => {
      if (isOver) return;
      isOver = true;
      conclude();
    };
    const take = (answer: IncomingMessage): void => end(() => sent.take(answer));
    // Names are looked at where they are resolved, and addresses are not.
    if (isIP(host) !== 0 && isForbiddenAddress(host)) {
      const refuse = (): void => fail(new Error(`${host} is a link-local or cloud metadata address`));
      queueMicrotask(() => end(refuse));
      return () => void (isOver = true);
    }
    // What must not be sent twice never meets a connection that is closed already.
    let request = this.#request(sent, sent.upgrade === undefined && IDEMPOTENT.has(message.method));
    const watch = (current: ClientRequest, canRepeat: boolean): void => {
      current.once('response', take);
      current.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = current.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (isOver || !isStale || !canRepeat) return end(() => fail(error));
        request = this.#request(sent, false);
        watch(request, false);
      });
      current.on('upgrade', (answer, socket: Socket, head) => {
        const { upgrade } = sent;
        if (upgrade !== undefined && !isOver) return end(() => upgrade(answer, socket, head));
        socket.destroy();
        end(() => fail(new Error('it switched to another protocol, which was not asked for')));
      });
      current.end(message.body);
    };
    watch(request, true);
    return () => {
      isOver = true;
      request.destroy();
    };
  }

  /** Closes the connections that are kept. */
  stop(): void {
    this.#agent.destroy();
  }

  /** Closes the connections that are kept once they are not used any more. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }

  /** What clients of ours have to ask for where an answer to the message names a place; `undefined` for what stays as it is. */
  locate(location: string, message: Pick<ForwardedRequest, 'path'>): string | undefined {
    const { isSecure, path } = this.#upstream;
    const origin = isSecure ? `https://${this.#host}` : `http://${this.#host}`;
    const isAbsolute = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(location);
    // Without a path in its url the same relative places are ours.
    if (!isAbsolute && path === '') return undefined;
    const base = `${origin}${path}${message.path}`;
    if (!URL.canParse(location, base)) return undefined;
    const url = new URL(location, base);
    if (url.origin !== new URL(origin).origin) return undefined;
    const rest = below(path, url.pathname);
    // A place beside the path of the upstream can be had from the upstream alone.
    return rest === undefined ? url.href : rest + url.search + url.hash;
  }

  #request({ message, rawHeaders, isDecoded, upgrade, mount = '' }: Sent, isKept: boolean): ClientRequest {
    const { host, port, isSecure, path } = this.#upstream;
    const request = (isSecure ? https : http).request({
      ...this.#tls,
      host,
      port,
      method: message.method,
      path: path + targetOf(message, mount),
      headers: this.#headers(message, rawHeaders, isDecoded, upgrade !== undefined),
      agent: isKept && this.#agent,
      lookup: upstreamLookup,
    });
    request.once('socket', (socket: Socket) => this.#limit(request, socket));
    return request;
  }

  /** Gives up on an upstream that takes no connection. */
  #limit(request: ClientRequest, socket: Socket): void {
    if (request.reusedSocket) return;
    const limit = this.#options.connectTimeout ?? CONNECT_TIMEOUT;
    const timer = timers.after(limit, () =>
      request.destroy(new Error(`the upstream took no connection within ${limit / 1000} s`)),
    );
    const cancel = (): void => timer.cancel();
    socket.once(this.#upstream.isSecure ? 'secureConnect' : 'connect', cancel);
    socket.once('close', cancel);
  }

  #headers(
    { method, body }: ForwardedRequest,
    raw: readonly string[],
    isDecoded: boolean,
    isUpgrade: boolean,
  ): string[] {
    const dropped = new Set(NOT_FORWARDED);
    for (let index = 0; index + 1 < raw.length; index += 2)
      if (raw[index]?.toLowerCase() === 'connection')
        for (const name of (raw[index + 1] ?? '').split(',')) dropped.add(name.trim().toLowerCase());
    if (isDecoded) dropped.add('content-encoding');
    const headers = ['Host', this.#host];
    const cookies: string[] = [];
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index] ?? '';
      const key = name.toLowerCase();
      const value = raw[index + 1] ?? '';
      if (isUpgrade && key === 'upgrade') headers.push('Connection', 'Upgrade', name, value);
      if (name.startsWith(':') || dropped.has(key)) continue;
      // HTTP/2 may send each cookie by itself, and HTTP/1.1 may not (RFC 9113, section 8.2.3).
      if (key === 'cookie') cookies.push(value);
      else if (key === 'accept-encoding' && this.#options.decodes) headers.push(name, knownCodings(value));
      else headers.push(name, value);
    }
    if (cookies.length > 0) headers.push('Cookie', cookies.join('; '));
    if (body !== undefined || !NO_BODY_METHODS.has(method))
      headers.push('Content-Length', String(body?.length ?? 0));
    return headers;
  }
}

/** What a client accepts of the codings that are known here. */
function knownCodings(accepted: string): string {
  const known = accepted.split(',').filter((coding) => {
    const [name = ''] = coding.split(';', 1);
    return isKnownCoding(name.trim().toLowerCase());
  });
  return known.length === 0 ? 'identity' : known.map((coding) => coding.trim()).join(', ');
}

function targetOf({ path, target }: ForwardedRequest, mount: string): string {
  const mark = target.indexOf('?');
  const own = below(mount, path) ?? path;
  return mark < 0 ? own : own + target.slice(mark);
}
