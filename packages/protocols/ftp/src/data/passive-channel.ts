import { timers, type Connection, type Timer } from '@backlot/kit';
import { ReplyError } from '../reply-error.js';
import { CONNECT_PATIENCE, type DataChannel } from './data-channel.js';

/** How long a port waits for a client that asked for it, in ms. */
const LISTEN_PATIENCE = 30_000;

/** A data connection that the client makes. */
export class PassiveChannel implements DataChannel {
  readonly #release: (grace: number) => void;
  readonly #grace: number;
  readonly #timer: Timer;
  #connection: Connection | undefined;
  #arrived: ((connection: Connection | undefined) => void) | undefined;
  #isExpected = true;
  #isOver = false;

  /**
   * @param release - gives the port back, and its connection so many ms to deliver what was sent
   * @param grace - those ms when nothing is wrong
   */
  constructor(release: (grace: number) => void, grace: number) {
    this.#release = release;
    this.#grace = grace;
    this.#timer = timers.after(LISTEN_PATIENCE, () => this.close());
  }

  /** Whether this connection is the one that the channel waits for; said once. */
  expects(remote: string, address: string): boolean {
    const isOfClient = remote.slice(0, remote.lastIndexOf(':')).replaceAll(/[[\]]/g, '') === address;
    if (!isOfClient || !this.#isExpected) return false;
    this.#isExpected = false;
    return true;
  }

  /** The client has connected. */
  take(connection: Connection): void {
    this.#timer.cancel();
    this.#connection = connection;
    this.#arrived?.(connection);
  }

  async open(): Promise<Connection> {
    const connection = this.#connection ?? (await this.#wait());
    if (connection === undefined || connection.isClosed)
      throw new ReplyError(425, 'no data connection was made');
    return connection;
  }

  giveUp(): void {
    if (this.#connection === undefined) this.#end(0);
  }

  close(): void {
    this.#end(this.#grace);
  }

  abort(): void {
    this.#connection?.destroy();
    this.#end(0);
  }

  #wait(): Promise<Connection | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const timer = timers.after(CONNECT_PATIENCE, () => this.#arrived?.(undefined));
      this.#arrived = (connection) => {
        timer.cancel();
        this.#arrived = undefined;
        resolve(connection);
      };
    });
  }

  #end(grace: number): void {
    this.#timer.cancel();
    this.#isExpected = false;
    this.#isOver = true;
    this.#arrived?.(undefined);
    this.#release(grace);
  }
}
