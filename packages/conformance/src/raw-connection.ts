import net from 'node:net';
import tls from 'node:tls';
import { abandon } from './abandon.js';
import type { AfterThis } from './collect-cleanups.js';

/** Where a {@link RawConnection} goes, and how. */
export interface RawTarget {
  readonly port: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Whether it begins with the handshake of TLS; no certificate is checked. */
  readonly tls?: boolean;
}

/**
 * A connection that sends bytes as they are, for clients in tests that have to do what no library does. It counts as closed
 * when it is reset too, or never came to be; nothing that waits for it is left waiting then. It is left after the test.
 */
export class RawConnection {
  /** The connection; another one after {@link startTls}. */
  socket: net.Socket;
  isClosed = false;
  #received: Buffer[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(socket: net.Socket, afterThis: AfterThis) {
    this.socket = socket;
    this.#listen(socket);
    afterThis(() => (this.socket instanceof tls.TLSSocket ? this.socket.destroy() : abandon(this.socket)));
  }

  /** A socket that is connected, or that the server has closed. */
  static async openSocket({ port, host = '127.0.0.1', tls: encrypted }: RawTarget): Promise<net.Socket> {
    const socket =
      encrypted === true
        ? tls.connect({ port, host, rejectUnauthorized: false })
        : net.connect({ port, host, allowHalfOpen: true });
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) =>
      socket
        .once(encrypted === true ? 'secureConnect' : 'connect', () => resolve())
        .once('close', () => resolve()),
    );
    return socket;
  }

  /** What has come and was not taken. */
  get received(): Buffer {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0] ?? Buffer.alloc(0);
  }

  /** Takes so many bytes of what has come; all by default. */
  take(length = Infinity): Buffer {
    const { received } = this;
    this.#received = [received.subarray(length)];
    return received.subarray(0, length);
  }

  /** Sends bytes; a text is sent in UTF-8. */
  send(...parts: readonly (string | Uint8Array)[]): void {
    this.socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
  }

  /** Resolves once the condition holds, which is asked after each chunk, or the connection is closed. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.isClosed) {
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** Resolves once the connection is closed. */
  closes(): Promise<void> {
    return this.until(() => this.isClosed);
  }

  /** The handshake of TLS on this connection. */
  async startTls(): Promise<void> {
    this.socket.removeAllListeners('data');
    const socket = tls.connect({ socket: this.socket, rejectUnauthorized: false });
    this.socket = socket;
    this.#listen(socket);
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  }

  #listen(socket: net.Socket): void {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.#received.push(chunk);
      this.#tell();
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.isClosed = true;
      this.#tell();
    });
    // Its event may have been before.
    if (socket.closed) this.isClosed = true;
  }

  #tell(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher();
  }
}
