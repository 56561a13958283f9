import { EventEmitter } from 'node:events';
import type { Connection } from '@backlot/kit';

/**
 * A control connection as the library sees a socket: what it writes goes out, and it is told of the end. Lines do not
 * come in this way, since the session hands them over one by one.
 */
export class CommandChannel extends EventEmitter {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super();
    this.#connection = connection;
    connection.onClose(() => this.emit('close'));
  }

  get remoteAddress(): string {
    return this.#connection.remoteAddress;
  }

  get writable(): boolean {
    return !this.#connection.isEnded;
  }

  get destroyed(): boolean {
    return this.#connection.isClosed;
  }

  address(): { readonly port: number } {
    return { port: this.#connection.socket.localPort ?? 0 };
  }

  /** Replies are short: they wait in kit's bounded buffer, so that the library is never held up. */
  write(text: string, _encoding: string, done?: () => void): boolean {
    this.#connection.write(text);
    done?.();
    return true;
  }

  destroy(): void {
    this.#connection.destroy();
  }

  /** The session decides when to read. */
  pause(): void {
    // Nothing to hold up.
  }

  /** See {@link pause}. */
  resume(): void {
    // Nothing to go on with.
  }
}
