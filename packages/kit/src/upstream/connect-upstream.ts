import { lookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import net, { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { guardLookup, invalid, isForbiddenAddress, messageOf, type Upstream } from '@backlot/core/plugin';
import { timers } from '../timers.js';

/** Milliseconds in which an upstream must take a connection, its TLS handshake included. */
export const CONNECT_TIMEOUT = 10_000;

/** Resolves the host of an upstream; fails for addresses that none has. */
export const upstreamLookup = guardLookup(lookup, forbidden);

function forbidden(address: string): Error {
  return new Error(`${address} is a link-local or cloud metadata address, which is no upstream`);
}

/** How a connection to an upstream is opened. */
export interface UpstreamConnect {
  /** The authorities of its certificate, as {@link readAuthorities} gives them; the public ones when absent. */
  readonly authorities?: Buffer | undefined;
  /** Application protocols that are offered by ALPN, where there is TLS. */
  readonly alpnProtocols?: readonly string[];
  /** Ends the attempt when it is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * Reads the file of authorities that an upstream names, once at the start.
 *
 * @returns `undefined` where none is named
 * @throws BacklotError `invalid` when it cannot be read, or holds no certificate
 */
export function readAuthorities({ ca }: Pick<Upstream, 'ca'>): Buffer | undefined {
  if (ca === undefined) return undefined;
  try {
    const authorities = readFileSync(ca);
    tls.createSecureContext({ ca: authorities });
    if (!authorities.includes('-----BEGIN ')) throw new Error('it holds no certificate in PEM');
    return authorities;
  } catch (thrown) {
    throw invalid(`upstream/ca: ${ca} cannot be used: ${messageOf(thrown)}`);
  }
}

/**
 * Connects to an upstream, by TLS where it has it.
 *
 * @returns the socket, which stays open when the upstream has ended its side
 * @throws the error of the network or of TLS, or one for an upstream that took too long; no socket is left then
 */
export async function connectUpstream(upstream: Upstream, connect: UpstreamConnect = {}): Promise<Socket> {
  const { host, port, isSecure } = upstream;
  connect.signal?.throwIfAborted();
  // Names are looked at where they are resolved, and addresses are not.
  if (isIP(host) !== 0 && isForbiddenAddress(host)) throw forbidden(host);
  const raw = net.connect({ host, port, lookup: upstreamLookup, allowHalfOpen: true, noDelay: true });
  const socket = isSecure ? beginTls(raw, upstream, connect) : raw;
  return whenReady(raw, socket, connect.signal);
}

/**
 * Begins TLS on a connection to an upstream, for protocols that do so after a greeting.
 *
 * @param raw - nothing is left on it that was read and not used
 * @throws as {@link connectUpstream}
 */
export async function secureUpstream(
  raw: Socket,
  upstream: Upstream,
  connect: UpstreamConnect = {},
): Promise<Socket> {
  connect.signal?.throwIfAborted();
  return whenReady(raw, beginTls(raw, upstream, connect), connect.signal);
}

function beginTls(raw: Socket, { host, verify }: Upstream, connect: UpstreamConnect): Socket {
  const { alpnProtocols, authorities: ca } = connect;
  return tls.connect({
    socket: raw,
    rejectUnauthorized: verify,
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ...(ca && { ca }),
    ...(alpnProtocols && { ALPNProtocols: [...alpnProtocols] }),
  });
}

function whenReady(raw: Socket, socket: Socket, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise<Socket>((resolve, reject) => {
    const settle = (conclude: () => void): void => {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
      socket.off('error', fail);
      raw.off('error', fail);
      socket.on('error', ignore);
      raw.on('error', ignore);
      conclude();
    };
    const fail = (error: Error): void =>
      settle(() => {
        socket.destroy();
        raw.destroy();
        reject(error);
      });
    const onAbort = (): void => fail(new Error('nobody waits for the upstream any more'));
    const timer = timers.after(CONNECT_TIMEOUT, () =>
      fail(new Error(`the upstream took no connection within ${CONNECT_TIMEOUT / 1000} s`)),
    );
    signal?.addEventListener('abort', onAbort);
    socket.once('error', fail);
    if (raw !== socket) raw.once('error', fail);
    socket.once(socket === raw ? 'connect' : 'secureConnect', () => settle(() => resolve(socket)));
  });
}

function ignore(): void {
  // Errors after the start end the socket, and reach whoever listens to its `error` or `close`.
}
