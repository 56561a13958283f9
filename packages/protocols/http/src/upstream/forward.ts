import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Upstream } from '@backlot/core/plugin';
import { upstreamLookup } from '@backlot/kit/upstream';
import type { HttpMessage } from '../message.js';

/** Headers of a connection, which is another one behind us (RFC 9110, section 7.6.1), and those that are written anew. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const NO_BODY_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
const MAX_SOCKETS = 256;

/** Sends requests to an upstream. */
export class Forwarder {
  readonly #upstream: Upstream;
  readonly #agent: http.Agent;
  readonly #host: string;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    const { isSecure, verify, host, ca } = upstream;
    const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_SOCKETS };
    this.#agent = isSecure
      ? new https.Agent({
          ...options,
          rejectUnauthorized: verify,
          ...(isIP(host) === 0 && { servername: host }),
          ...(ca !== undefined && { ca: readFileSync(ca) }),
        })
      : new http.Agent(options);
    this.#host = new URL(upstream.url.replace(/^(?:tcp|tls):/, 'http:')).host;
  }

  /**
   * Sends a request as its client has, to the host of the upstream.
   *
   * @param rawHeaders - names and values in turn
   * @param isDecoded - whether codings were taken off the body
   * @param take - called with the answer when its head is there
   * @param fail - called once when there is none, or it breaks off before its head
   */
  send(
    message: HttpMessage,
    rawHeaders: readonly string[],
    isDecoded: boolean,
    take: (answer: IncomingMessage) => void,
    fail: (error: unknown) => void,
  ): ClientRequest {
    const { host, port, isSecure, path } = this.#upstream;
    const { method, body } = message;
    const request = (isSecure ? https : http).request({
      host,
      port,
      method,
      path: path + targetOf(message),
      headers: this.#headers(message, rawHeaders, isDecoded),
      agent: this.#agent,
      lookup: upstreamLookup,
    });
    request.once('response', take);
    request.on('error', fail);
    request.on('upgrade', (_answer, socket) => {
      socket.destroy();
      fail(new Error('it switched to another protocol, which was not asked for'));
    });
    request.end(body);
    return request;
  }

  /** Closes the connections that are kept. */
  stop(): void {
    this.#agent.destroy();
  }

  /** A path of an absolute url of the upstream, as clients of ours have to ask for it; `undefined` for another server. */
  ownPath(location: string): string | undefined {
    const { isSecure, path } = this.#upstream;
    if (!URL.canParse(location)) return undefined;
    const url = new URL(location);
    const origin = `${isSecure ? 'https' : 'http'}://${this.#host}`;
    if (url.origin !== new URL(origin).origin || !url.pathname.startsWith(path)) return undefined;
    const own = url.pathname.slice(path.length) + url.search + url.hash;
    return own.startsWith('/') ? own : `/${own}`;
  }

  #headers({ method, body }: HttpMessage, raw: readonly string[], isDecoded: boolean): string[] {
    const dropped = new Set(NOT_FORWARDED);
    for (let index = 0; index + 1 < raw.length; index += 2)
      if (raw[index]?.toLowerCase() === 'connection')
        for (const name of (raw[index + 1] ?? '').split(',')) dropped.add(name.trim().toLowerCase());
    if (isDecoded) dropped.add('content-encoding');
    const headers = ['Host', this.#host];
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index] ?? '';
      if (!name.startsWith(':') && !dropped.has(name.toLowerCase())) headers.push(name, raw[index + 1] ?? '');
    }
    if (body !== undefined || !NO_BODY_METHODS.has(method))
      headers.push('Content-Length', String(body?.length ?? 0));
    return headers;
  }
}

function targetOf({ path, target }: HttpMessage): string {
  const mark = target.indexOf('?');
  return mark < 0 ? path : path + target.slice(mark);
}
