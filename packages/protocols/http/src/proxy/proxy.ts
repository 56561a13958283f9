import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { isForbiddenAddress, type Upstream } from '@backlot/core/plugin';
import { sniff, type Connection } from '@backlot/kit';
import { endWithHttp } from '@backlot/kit/http';
import { describeFailure, HostTls, splice, UpstreamLog } from '@backlot/kit/upstream';
import type { ProxySettings } from '../schemas/proxy.js';
import type { HttpContext } from '../shape.js';
import type { HttpConnection } from '../wire/connection.js';
import type { Incoming } from '../wire/outgoing.js';
import { HostRules, type HostRule } from './host-rules.js';
import { readAuthority, readTarget, type Origin } from './origin.js';

/** The first byte of a TLS handshake (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;
const PATIENCE = 60_000;
const HANDSHAKE_TIMEOUT = 10_000;
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
/** Headers that are between a client and its proxy alone. */
const OF_THE_PROXY: ReadonlySet<string> = new Set(['proxy-authorization', 'proxy-connection']);
/** What TLS says when a client does not trust a certificate. */
const DISTRUST = /alert (?:unknown ca|bad certificate|certificate unknown)/;

/** Why a request is not taken. */
export interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves a connection whose requests are for another server. */
export type TakeConnection = (connection: Connection, mount: string | undefined, origin: Origin) => void;

/** Takes what clients ask of the listener as their proxy. */
export class Proxy {
  readonly #context: HttpContext;
  readonly #rules: HostRules;
  readonly #credentials: Buffer | undefined;
  readonly #tls: HostTls;
  readonly #take: TakeConnection;
  /** Hosts whose clients did not trust their certificate, so that it is told once. */
  readonly #distrusted = new Set<string>();

  constructor(context: HttpContext, settings: ProxySettings, take: TakeConnection) {
    this.#context = context;
    this.#take = take;
    this.#rules = new HostRules(settings);
    const { auth } = settings;
    this.#credentials =
      auth && Buffer.from(Buffer.from(`${auth.username}:${auth.password}`).toString('base64'));
    const { faults } = context;
    this.#tls = new HostTls({
      alpnProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      ...(faults && { fault: () => faults.tls }),
    });
  }

  /**
   * Looks at a request before it is served: one with a whole url is for the server that this names.
   *
   * @returns why it is not to be served
   */
  admit(request: Incoming, connection: HttpConnection): Refusal | undefined {
    const target = connection.origin === undefined ? readTarget(request.url ?? '') : undefined;
    if (target === undefined) return undefined;
    const rule = this.#rules.of(target.host);
    const refusal = this.#refusal(request, target.host, rule);
    if (refusal !== undefined) return refusal;
    dropProxyHeaders(request);
    connection.place(request, { ...target, isTunnelled: rule === 'tunnel' });
    return undefined;
  }

  /** Answers a CONNECT, and serves what comes on the connection after it. @param head - what came behind the request */
  connect(request: IncomingMessage, head: Buffer, { kit, mount }: HttpConnection): void {
    const target = readAuthority(request.url ?? '');
    if (target === undefined)
      return endWithHttp(kit, 400, `CONNECT needs a host and a port, got ${JSON.stringify(request.url)}`);
    const rule = this.#rules.of(target.host);
    const refusal = this.#refusal(request, target.host, rule);
    if (refusal !== undefined) return endWithHttp(kit, refusal.status, refusal.error, { ...refusal.headers });
    kit.takeBack(head);
    if (rule === 'tunnel') this.#tunnel(kit, target);
    else this.#answer(kit, mount, target);
  }

  #tunnel(kit: Connection, { host, port }: { readonly host: string; readonly port: number }): void {
    const url = `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const upstream: Upstream = {
      ...{ url, host, port, path: '', isSecure: false, startsTls: false, isOpen: false, isDecoded: false },
      ...{ mode: 'passthrough', ca: undefined, verify: true },
    };
    const log = new UpstreamLog(upstream, () => undefined);
    splice(kit, upstream, undefined, log, {
      opened: () => void kit.write(ESTABLISHED),
      failed: (error) =>
        endWithHttp(kit, 502, `${host}:${port} gave no connection: ${describeFailure(error)}`),
    });
  }

  /** Serves the host here: by TLS, or in the clear, as the client begins. */
  #answer(
    kit: Connection,
    mount: string | undefined,
    { host, port }: { readonly host: string; readonly port: number },
  ): void {
    kit.write(ESTABLISHED);
    const origin = { host, port, isTunnelled: false };
    sniff(kit, {
      bytes: 1,
      timeout: PATIENCE,
      choose: ([first]) =>
        first === TLS_HANDSHAKE
          ? () => this.#secure(kit, mount, { ...origin, isSecure: true })
          : () => this.#take(kit, mount, { ...origin, isSecure: false }),
    });
  }

  #secure(kit: Connection, mount: string | undefined, origin: Origin): void {
    const { host } = origin;
    kit.onClose((error) => {
      if (error !== undefined && DISTRUST.test(error.message)) this.#tellDistrust(host);
    });
    kit.startTls(this.#tls.of(host)).then(
      kit.isolate(() => this.#take(kit, mount, origin)),
      (error: Error) => {
        if (DISTRUST.test(error.message)) this.#tellDistrust(host);
      },
    );
  }

  #tellDistrust(host: string): void {
    if (this.#distrusted.size >= 100 || this.#distrusted.has(host)) return;
    this.#distrusted.add(host);
    this.#context.log.warn(
      `a client does not trust the certificate for ${host}; it needs that of GET /api/ca.pem as an authority, which "backlot run --proxy" tells it`,
    );
  }

  #refusal({ headers }: Incoming, host: string, rule: HostRule): Refusal | undefined {
    if (!this.#isAllowed(headers['proxy-authorization']))
      return {
        status: 407,
        error: 'the proxy needs the user and password of its setting proxy.auth',
        headers: { 'Proxy-Authenticate': 'Basic realm="backlot"' },
      };
    if (rule === 'refuse')
      return {
        status: 403,
        error: `the proxy is not for ${host}: neither proxy.hosts nor proxy.tunnel names it`,
      };
    if (rule === 'tunnel' && isIP(host) !== 0 && isForbiddenAddress(host))
      return {
        status: 403,
        error: `${host} is a link-local or cloud metadata address, which nobody is led to`,
      };
    return undefined;
  }

  #isAllowed(given: string | readonly string[] | undefined): boolean {
    const expected = this.#credentials;
    if (expected === undefined) return true;
    const [, token = ''] = /^basic +(\S+) *$/i.exec(String(given ?? '')) ?? [];
    const actual = Buffer.from(token);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}

/** What is for the proxy is nothing for mocks, for the log, and for the server. */
function dropProxyHeaders(request: Incoming): void {
  const { rawHeaders, headers } = request;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2)
    if (OF_THE_PROXY.has(rawHeaders[index]?.toLowerCase() ?? '')) rawHeaders.splice(index, 2);
  for (const name of OF_THE_PROXY) delete headers[name];
}
