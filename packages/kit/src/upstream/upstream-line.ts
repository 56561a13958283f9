import type { Socket } from 'node:net';
import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import { connectUpstream, secureUpstream } from './connect-upstream.js';
import type { UpstreamLog } from './upstream-log.js';

/** What becomes of what an upstream says on a line. */
export interface LineEvents {
  /** Bytes have come. */
  readonly data: (chunk: Buffer) => void;
  /** Nothing more comes. @param problem - why, where that was not in order */
  readonly end: (problem: Error | undefined) => void;
}

/**
 * The connection to an upstream that belongs to the connection of one client: what the client has set with it, such as a login or a
 * database, holds for this client alone. It is opened with the first bytes, and closed with that of the client.
 */
export class UpstreamLine {
  readonly #connection: Connection;
  readonly #upstream: Upstream;
  readonly #authorities: Buffer | undefined;
  readonly #log: UpstreamLog;
  readonly #events: LineEvents;
  readonly #leaving = new AbortController();
  #far: Socket | undefined;
  /** Stops listening to {@link #far}. */
  #unhear: () => void = () => undefined;
  #isOpening = false;
  #hasEnded = false;
  /** What is to be sent as soon as it is open. */
  #early: (string | Uint8Array)[] = [];

  constructor(
    connection: Connection,
    upstream: Upstream,
    authorities: Buffer | undefined,
    log: UpstreamLog,
    events: LineEvents,
  ) {
    this.#connection = connection;
    this.#upstream = upstream;
    this.#authorities = authorities;
    this.#log = log;
    this.#events = events;
    // How long a client may be silent is for the upstream to say.
    connection.setIdleTimeout(0);
    connection.onClose(() => {
      this.#leaving.abort();
      this.#far?.destroy();
      this.#over(new Error('the client has left'));
    });
  }

  /** Opens it, for an upstream that speaks first. */
  open(): void {
    if (this.#isOpening) return;
    this.#isOpening = true;
    connectUpstream(this.#upstream, { authorities: this.#authorities, signal: this.#leaving.signal }).then(
      this.#connection.isolate((far) => this.#opened(far)),
      this.#connection.isolate((error) => {
        if (!this.#leaving.signal.aborted) this.#log.failed(error);
        this.#over(error as Error);
      }),
    );
  }

  /** Sends bytes; a text has one character per byte. While they wait, nothing more is read of the client. */
  send(data: string | Uint8Array): void {
    if (this.#hasEnded) return;
    this.open();
    const far = this.#far;
    if (far === undefined) this.#early.push(data);
    else this.#write(far, data);
  }

  /**
   * Begins TLS on it, once the upstream has said that it is ready. What is sent meanwhile waits.
   *
   * @throws Error when there is none, as when its certificate is not trusted
   */
  async secure(): Promise<void> {
    const far = this.#far;
    if (far === undefined) throw new Error('it is not open');
    this.#far = undefined;
    this.#unhear();
    const connect = { authorities: this.#authorities, signal: this.#leaving.signal };
    this.#opened(await secureUpstream(far, this.#upstream, connect));
  }

  /** Gives bytes to the client; while it does not take them, nothing more is read of the upstream. */
  pass(data: Uint8Array): void {
    const { socket } = this.#connection;
    this.#connection.write(data);
    if (!socket.writableNeedDrain) return;
    this.#far?.pause();
    socket.once('drain', () => this.#far?.resume());
  }

  #write(far: Socket, data: string | Uint8Array): void {
    const isTaken = typeof data === 'string' ? far.write(data, 'latin1') : far.write(data);
    if (isTaken) return;
    const connection = this.#connection;
    connection.pause();
    far.once('drain', () => connection.resume());
  }

  #opened(far: Socket): void {
    if (this.#connection.isClosed) {
      far.destroy();
      return;
    }
    this.#far = far;
    this.#log.worked();
    let problem: Error | undefined;
    const heard = {
      error: (error: Error) => (problem = error),
      data: this.#connection.isolate(this.#events.data),
      end: () => far.end(),
      close: () =>
        this.#over(far.readableEnded ? undefined : (problem ?? new Error('it has closed the connection'))),
    };
    for (const [event, listener] of Object.entries(heard)) far.on(event, listener);
    this.#unhear = () => {
      for (const [event, listener] of Object.entries(heard)) far.off(event, listener);
    };
    for (const data of this.#early.splice(0)) this.#write(far, data);
  }

  #over(problem: Error | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#connection.isolate(() => this.#events.end(problem))();
  }
}
