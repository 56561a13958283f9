import { Duplex } from 'node:stream';

// The broker must never wait for a client: what a client leaves unread is bounded where it is sent.
const NEVER_FULL = 2 ** 40;

interface Listeners {
  /** Whole writes of the broker. */
  readonly onBytes: (bytes: Buffer) => void;
  /** The broker is done with the client, or failed with it. */
  readonly onGone: (error: Error | null) => void;
}

/** The connection as the broker sees it: MQTT 3.1.1, whatever the client speaks. */
export class BrokerSide extends Duplex {
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    super({ writableHighWaterMark: NEVER_FULL, decodeStrings: true });
    this.#listeners = listeners;
  }

  /** Gives the broker bytes of the client. */
  feed(bytes: Buffer): void {
    if (!this.destroyed) this.push(bytes);
  }

  /** What the broker's listeners throw ends this client and nothing else. */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    try {
      return super.emit(event, ...values);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
      return true;
    }
  }

  override _read(): void {
    // Bytes are pushed when they come.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#listeners.onBytes(chunk);
    callback();
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#listeners.onBytes(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    callback(null);
    this.#listeners.onGone(error);
  }
}
