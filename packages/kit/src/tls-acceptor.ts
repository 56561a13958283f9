import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import {
  loadClientAuthorities,
  loadTls,
  type KeyAndCertificate,
  type TlsFault,
  type TlsOptions,
} from './certificate.js';
import { endInTurns } from './end-in-turns.js';
import { timers } from './timers.js';
import { awaitHello } from './tls-hello.js';
import { insteadOf } from './toxics/beneath.js';
import { secureBeneath } from './toxics/secure-beneath.js';

/** What node:tls says of a handshake that takes too long. */
const TIMEOUT_CODE = 'ERR_TLS_HANDSHAKE_TIMEOUT';

/** TLS of a stream server. */
export interface StreamTls extends TlsOptions {
  /** `implicit` (default): from the first byte on. `starttls`: when the protocol calls {@link Connection.startTls}. */
  readonly mode?: 'implicit' | 'starttls';
  /** Application protocols offered by ALPN (RFC 7301), the preferred one first. */
  readonly alpnProtocols?: readonly string[];
  /** Certificates (PEM) of the authorities whose client certificates are asked for and checked, in place of those of `client_ca`. */
  readonly clientAuthorities?: string;
  /** Makes what is shown, in place of what the options name; with what is to be wrong with it. */
  readonly certificate?: (fault: TlsFault | undefined) => Promise<KeyAndCertificate>;
}

/** What a server shows and asks for in handshakes, PEM. */
interface TlsMaterial extends KeyAndCertificate {
  readonly clientAuthorities: string | undefined;
}

interface Waiting {
  readonly resolve: (secured: TLSSocket) => void;
  readonly reject: (error: Error) => void;
}

/** Makes TLS sockets out of accepted sockets. */
export class TlsAcceptor {
  readonly #options: StreamTls;
  readonly #handshakeTimeout: number;
  readonly #waiting = new Map<string, Waiting>();
  readonly #fault: () => TlsFault | undefined;
  /** One for each certificate that is shown. */
  readonly #servers = new Map<TlsFault | undefined, Promise<Server>>();
  /** What the files held when they were read for the certificate that the options ask for. */
  #shown: TlsMaterial | undefined;

  /** @param fault - what is wrong with the certificate, asked at each handshake */
  constructor(
    options: StreamTls,
    handshakeTimeout: number,
    fault: () => TlsFault | undefined = () => undefined,
  ) {
    this.#options = options;
    this.#fault = fault;
    this.#handshakeTimeout = handshakeTimeout;
  }

  /** Whether connections are encrypted from their first byte on. */
  get isImplicit(): boolean {
    return this.#options.mode !== 'starttls';
  }

  /**
   * Loads the certificate, so that a start fails when it cannot be read. With `starttls` the self-signed one is made
   * when it is first needed.
   */
  async prepare(): Promise<void> {
    const { self_signed, client_ca } = this.#options;
    if (this.isImplicit || self_signed !== true || client_ca !== undefined)
      await this.#load(this.#options.fault);
  }

  /**
   * Reads the files of the certificate again, and changes nothing yet.
   *
   * @returns lets handshakes from then on have what was read; undefined when it is what they have already
   * @throws BacklotError `invalid` as at the start
   */
  async renew(): Promise<(() => void) | undefined> {
    const { cert_file, client_ca, fault } = this.#options;
    // What is made by this process is not made again; what was never asked for is read when it is.
    if ((cert_file === undefined && client_ca === undefined) || this.#servers.size === 0) return undefined;
    const material = await this.#read(fault);
    if (sameText(material, this.#shown)) return undefined;
    const server = Promise.resolve(this.#serve(material));
    return () => {
      // Connections and handshakes that have begun stay with the servers before.
      this.#servers.clear();
      this.#servers.set(fault, server);
      this.#shown = material;
    };
  }

  /**
   * Does the server's half of the handshake.
   *
   * @param beneath - the bytes of the socket as a stream, where TLS is not to use its handle
   * @throws the TLS error, or the error of a connection that closed; the socket is destroyed then
   */
  async secure(raw: Socket, beneath?: Duplex): Promise<TLSSocket> {
    const server = await this.#load(this.#fault() ?? this.#options.fault);
    const instead = beneath ?? insteadOf(raw);
    if (instead !== undefined) return secureBeneath(server, raw, instead);
    const key = keyOf(raw);
    if (raw.destroyed || key === undefined) {
      raw.destroy();
      throw new Error('the connection closed before the TLS handshake');
    }
    return new Promise<TLSSocket>((resolve, reject) => {
      const onClose = (): void =>
        settle(() => reject(new Error('the connection closed during the TLS handshake')));
      const settle = (conclude: () => void): void => {
        stopWaiting();
        timer.cancel();
        raw.off('close', onClose);
        this.#waiting.delete(key);
        conclude();
      };
      raw.once('close', onClose);
      this.#waiting.set(key, {
        resolve: (secured) => {
          endInTurns(secured, raw);
          settle(() => resolve(secured));
        },
        reject: (error) => settle(() => reject(error)),
      });
      // From its beginning, before there is a TLS socket that would have a timer of its own.
      const timer = timers.after(this.#handshakeTimeout, () => {
        settle(() => reject(Object.assign(new Error('TLS handshake timeout'), { code: TIMEOUT_CODE })));
        raw.destroy();
      });
      // Else a client that leaves in the middle of the handshake would stay until its time is over.
      raw.allowHalfOpen = false;
      const stopWaiting = awaitHello(raw, () => server.emit('connection', raw));
    });
  }

  #load(fault: TlsFault | undefined): Promise<Server> {
    let server = this.#servers.get(fault);
    if (server === undefined) {
      server = this.#create(fault).catch((error: unknown) => {
        this.#servers.delete(fault);
        throw error;
      });
      this.#servers.set(fault, server);
    }
    return server;
  }

  async #create(fault: TlsFault | undefined): Promise<Server> {
    const material = await this.#read(fault);
    if (fault === this.#options.fault) this.#shown = material;
    return this.#serve(material);
  }

  async #read(fault: TlsFault | undefined): Promise<TlsMaterial> {
    const { client_ca, clientAuthorities: given, certificate } = this.#options;
    const clientAuthorities =
      given ?? (client_ca === undefined ? undefined : await loadClientAuthorities(client_ca));
    const pair = await (certificate === undefined
      ? loadTls({ ...this.#options, fault })
      : certificate(fault));
    return { ...pair, clientAuthorities };
  }

  #serve({ key, cert, clientAuthorities }: TlsMaterial): Server {
    const { alpnProtocols } = this.#options;
    // The server never listens: it takes sockets that were accepted elsewhere, which node:tls documents.
    const server = createServer({
      key,
      cert,
      handshakeTimeout: this.#handshakeTimeout,
      ...(alpnProtocols === undefined ? {} : { ALPNProtocols: [...alpnProtocols] }),
      ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities, requestCert: true }),
    });
    server.on('secureConnection', (secured) => {
      secured.on('error', ignore);
      secured.allowHalfOpen = true;
      const waiting = this.#findWaiting(secured);
      // Reset behind the last bytes of its handshake: nobody would ever read from it, and so learn that it is gone.
      if (waiting === undefined) secured.destroy();
      else waiting.resolve(secured);
    });
    server.on('tlsClientError', (error, secured) => {
      secured.on('error', ignore);
      this.#findWaiting(secured)?.reject(error);
      secured.destroy();
    });
    return server;
  }

  #findWaiting(secured: TLSSocket): Waiting | undefined {
    const key = keyOf(secured);
    return key === undefined ? undefined : this.#waiting.get(key);
  }
}

// Both ends' addresses name a connection, and a TLS socket has those of the socket below it. One that was reset has none.
function keyOf(socket: Socket): string | undefined {
  if (socket.remotePort === undefined) return undefined;
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress} ${socket.localPort}`;
}

function ignore(): void {
  // The error reaches the one who waits; without a listener it would end the process.
}

function sameText(one: TlsMaterial, other: TlsMaterial | undefined): boolean {
  return (
    one.key === other?.key && one.cert === other.cert && one.clientAuthorities === other.clientAuthorities
  );
}
