import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * The bytes of a socket as a stream without a handle. What reads and writes a socket by its handle, past its streams, as
 * node:tls and node:http2 do, takes this one by its streams.
 */
export class Beneath extends Duplex {
  readonly #raw: Socket;

  constructor(raw: Socket) {
    super({ allowHalfOpen: true });
    this.#raw = raw;
    raw.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) raw.pause();
    });
    raw.on('end', () => this.push(null));
    raw.on('error', (error) => this.destroy(error));
    raw.on('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#raw.remoteAddress;
  }

  get remoteFamily(): string | undefined {
    return this.#raw.remoteFamily;
  }

  get remotePort(): number | undefined {
    return this.#raw.remotePort;
  }

  get localAddress(): string | undefined {
    return this.#raw.localAddress;
  }

  get localPort(): number | undefined {
    return this.#raw.localPort;
  }

  setNoDelay(isNoDelay?: boolean): this {
    this.#raw.setNoDelay(isNoDelay);
    return this;
  }

  setKeepAlive(isKept?: boolean, delay?: number): this {
    this.#raw.setKeepAlive(isKept, delay);
    return this;
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    this.#raw.setTimeout(milliseconds, listener);
    return this;
  }

  override _read(): void {
    this.#raw.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#raw.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#raw.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#raw.destroy();
    done(error);
  }
}

const byStreams = new WeakSet<Socket>();

/** Nothing may read or write this socket by its handle. */
export function readByStreams(raw: Socket): void {
  byStreams.add(raw);
}

/** What is to be read in place of a socket whose handle must not be used; undefined for any other. */
export function insteadOf(raw: Socket): Beneath | undefined {
  return byStreams.has(raw) ? new Beneath(raw) : undefined;
}

const ADDRESSES = ['remoteAddress', 'remoteFamily', 'remotePort', 'localAddress', 'localPort'] as const;

/** Gives a TLS socket that has no handle of its own the addresses of the socket that its bytes go over. */
export function lendAddresses(secured: object, raw: Socket): void {
  for (const name of ADDRESSES)
    Object.defineProperty(secured, name, { configurable: true, value: raw[name] });
}
