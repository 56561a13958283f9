import { hostCertificate, type TlsFault } from './certificate.js';
import { TlsAcceptor } from './tls-acceptor.js';

/** The most hosts whose certificates are kept; the one that was used least recently is made anew when it is asked for again. */
const MAX_HOSTS = 500;

/** How the other side of {@link HostTls} is set up. */
export interface HostTlsOptions {
  /** Application protocols offered by ALPN (RFC 7301), the preferred one first. */
  readonly alpnProtocols: readonly string[];
  /** Milliseconds a TLS handshake may take. */
  readonly handshakeTimeout: number;
  /** What is wrong with the certificates, asked at each handshake. */
  readonly fault?: () => TlsFault | undefined;
}

/**
 * TLS in the name of other hosts, for a proxy: each host has a certificate that is made when it is first asked for, issued by that
 * of this process.
 */
export class HostTls {
  readonly #options: HostTlsOptions;
  /** In the order of their last use. */
  readonly #acceptors = new Map<string, TlsAcceptor>();

  constructor(options: HostTlsOptions) {
    this.#options = options;
  }

  /** What makes the server's half of handshakes for a host. @param host - a name or an address without brackets */
  of(host: string): TlsAcceptor {
    const key = host.toLowerCase();
    const { alpnProtocols, handshakeTimeout, fault } = this.#options;
    const acceptor =
      this.#acceptors.get(key) ??
      new TlsAcceptor(
        { alpnProtocols, certificate: (wrong) => hostCertificate(key, wrong) },
        handshakeTimeout,
        fault,
      );
    this.#acceptors.delete(key);
    this.#acceptors.set(key, acceptor);
    const [oldest] = this.#acceptors.keys();
    if (this.#acceptors.size > MAX_HOSTS && oldest !== undefined) this.#acceptors.delete(oldest);
    return acceptor;
  }
}
