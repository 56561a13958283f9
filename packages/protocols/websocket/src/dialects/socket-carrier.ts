import type { Connection } from '@backlot/kit';
import type { RawData, WebSocket } from 'ws';
import { clipReason, codeOfError } from '../wire/close-code.js';
import { BINARY, dataFrame, textFrame } from '../wire/frame.js';
import { Outgoing } from '../wire/outgoing.js';
import type { Carrier, Receiver } from './carrier.js';
import type { Packet } from './dialect.js';

/** Carries messages as those of a WebSocket connection. */
export class SocketCarrier implements Carrier {
  readonly #socket: WebSocket;
  readonly #connection: Connection;
  readonly #outgoing: Outgoing;
  #receiver: Receiver | undefined;
  #failure: number | undefined;

  constructor(socket: WebSocket, connection: Connection) {
    this.#socket = socket;
    this.#connection = connection;
    this.#outgoing = new Outgoing(connection, () => this.#receiver?.drained());
    socket.on('message', (data: RawData, isBinary: boolean) => {
      const bytes = data as Buffer;
      // A copy: the message is a part of the chunk it came in, which would stay with it.
      this.#receiver?.receive(isBinary ? Buffer.from(bytes) : bytes.toString('utf8'));
    });
    socket.on('error', (error) => (this.#failure = codeOfError(error)));
    socket.on('close', (code: number, reason: Buffer) =>
      this.#receiver?.closed(this.#failure ?? code, reason.toString('utf8')),
    );
  }

  /** Says who is told what arrives, from now on. */
  listen(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  get waiting(): number {
    return this.#outgoing.waiting;
  }

  get isChoked(): boolean {
    return this.#outgoing.isChoked;
  }

  send(packets: readonly Packet[]): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    for (const packet of packets) {
      this.#outgoing.send(typeof packet === 'string' ? textFrame(packet) : dataFrame(BINARY, packet));
    }
  }

  whenRead(): Promise<void> {
    return this.#outgoing.whenRead();
  }

  release(): void {
    this.#outgoing.release();
  }

  hold(): void {
    this.#socket.pause();
  }

  free(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  close(code: number, reason: string): void {
    // The client's half of the closing handshake is to be read.
    this.free();
    this.#socket.close(code, clipReason(reason));
  }

  destroy(): void {
    this.#connection.destroy();
  }

  busy(): void {
    this.#connection.busy();
  }

  idle(): void {
    this.#connection.idle();
  }

  isolate<A extends unknown[]>(fn: (...args: A) => unknown): (...args: A) => void {
    return this.#connection.isolate(fn);
  }
}
