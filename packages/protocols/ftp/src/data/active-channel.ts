import net from 'node:net';
import { timers, type Connection, type StreamServer } from '@backlot/kit';
import { ReplyError } from '../reply-error.js';
import { CONNECT_PATIENCE, type DataChannel } from './data-channel.js';

/** A data connection to a port of the client. */
export class ActiveChannel implements DataChannel {
  readonly #owner: StreamServer;
  readonly #host: string;
  readonly #port: number;
  #connection: Connection | undefined;

  /** @param owner - keeps track of the connection, so that it ends with the server */
  constructor(owner: StreamServer, host: string, port: number) {
    this.#owner = owner;
    this.#host = host;
    this.#port = port;
  }

  async open(): Promise<Connection> {
    const socket = net.connect({ host: this.#host, port: this.#port, allowHalfOpen: true, noDelay: true });
    const connection = this.#owner.track(socket);
    this.#connection = connection;
    const isConnected = await new Promise<boolean>((resolve) => {
      const timer = timers.after(CONNECT_PATIENCE, () => resolve(false));
      const settle = (isOpen: boolean): void => {
        timer.cancel();
        resolve(isOpen);
      };
      socket.once('connect', () => settle(true)).once('close', () => settle(false));
    });
    if (isConnected) return connection;
    this.abort();
    throw new ReplyError(425, `no connection to ${this.#host} port ${this.#port}`);
  }

  giveUp(): void {
    // The client has said where it listens: connecting tells whether it still does.
  }

  close(): void {
    this.#connection?.endWhenIdle();
  }

  abort(): void {
    this.#connection?.destroy();
  }
}
