import { turns } from '@backlot/core/plugin';
import { ChunkSlice, type Connection } from '@backlot/kit';
import { WebSocket, type RawData } from 'ws';
import { MAX_UNREAD, STALL_LIMIT, type Ending, type Transport } from './transport.js';

type Timer = ReturnType<Connection['after']>;

const HIGH_WATER = 128 * 1024;
/** Bytes on the wire until there is a session. */
const MAX_BEFORE_LOGIN = 64 * 1024;
/** How long the closing handshake may take, in ms. */
const CLOSE_LIMIT = 2_000;
/** RFC 6455, section 7.4.1. */
const CODES: Readonly<Record<Ending, number>> = {
  done: 1000,
  'going away': 1001,
  error: 1002,
  'too much': 1009,
};

/** STOMP in the messages of a WebSocket: one frame in each that is sent, anything in those that come. */
export class WebSocketTransport implements Transport {
  readonly connection: Connection;
  readonly #socket: WebSocket;
  readonly #onResume: (() => void)[] = [];
  #isHeld = false;
  #isChoked = false;
  #isEnded = false;
  #isYielding = false;
  readonly #slice: ChunkSlice;
  #received = 0;
  #stall: Timer | undefined;

  constructor(connection: Connection, socket: WebSocket) {
    this.connection = connection;
    this.#socket = socket;
    this.#slice = new ChunkSlice(connection.socket);
    connection.socket.on('drain', () => this.#drained());
    // The library gathers a whole message before anybody sees it.
    connection.socket.on('data', this.#count);
    socket.on('close', () => {
      this.#isEnded = true;
    });
    // What a client does wrong is answered by the library with a close frame.
    socket.on('error', () => {
      this.#isEnded = true;
    });
  }

  get isPaused(): boolean {
    return this.#isHeld || this.#isChoked || this.#isYielding;
  }

  get isChoked(): boolean {
    return this.#isChoked;
  }

  get isEnded(): boolean {
    return this.#isEnded || this.#socket.readyState !== WebSocket.OPEN;
  }

  onData(listener: (chunk: Buffer) => void): void {
    const take = this.connection.isolate((data: RawData) => {
      for (const chunk of chunksOf(data)) if (chunk.length > 0) listener(chunk);
    });
    this.#socket.on('message', (data) => {
      if (!this.isEnded) take(data);
    });
  }

  onResume(listener: () => void): void {
    this.#onResume.push(listener);
  }

  write(frame: Buffer, isText: boolean): void {
    if (this.isEnded) return;
    this.#socket.send(frame, { binary: !isText });
    if (this.#isChoked || this.#socket.bufferedAmount <= HIGH_WATER) return;
    this.#isChoked = true;
    this.#socket.pause();
    const { connection } = this;
    this.#stall = connection.after(STALL_LIMIT, () =>
      connection.destroy(
        new Error(`client ${connection.remote} has read nothing for ${STALL_LIMIT / 1000} s`),
      ),
    );
  }

  push(frame: Buffer, isText: boolean): void {
    if (this.isEnded) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD) {
      const { connection } = this;
      connection.destroy(
        new Error(`client ${connection.remote} has left more than ${MAX_UNREAD} bytes unread`),
      );
    } else this.#socket.send(frame, { binary: !isText });
  }

  connected(): void {
    this.connection.socket.off('data', this.#count);
  }

  yieldWhenLong(): boolean {
    if (this.#isYielding) return true;
    if (!this.#slice.isOver) return false;
    this.#isYielding = true;
    this.#flow();
    turns.wait(
      this.connection.isolate(() => {
        this.#isYielding = false;
        this.#slice.restart();
        this.#goOn();
      }),
    );
    return true;
  }

  pause(): void {
    this.#isHeld = true;
    this.#flow();
  }

  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#goOn();
  }

  end(how: Ending): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // Else the answer to the close frame would not be read.
    this.#isHeld = false;
    this.#isChoked = false;
    this.#socket.resume();
    this.#socket.close(CODES[how]);
    this.connection.after(CLOSE_LIMIT, () => this.connection.destroy());
  }

  readonly #count = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > MAX_BEFORE_LOGIN) this.end('too much');
  };

  #drained(): void {
    if (!this.#isChoked) return;
    this.#isChoked = false;
    this.#stall?.cancel();
    this.#goOn();
  }

  #goOn(): void {
    if (this.isPaused || this.isEnded) return;
    for (const listener of this.#onResume) this.connection.isolate(listener)();
    this.#flow();
  }

  #flow(): void {
    if (this.isEnded) return;
    if (this.isPaused) this.#socket.pause();
    else this.#socket.resume();
  }
}

function chunksOf(data: RawData): readonly Buffer[] {
  if (Array.isArray(data)) return data;
  return [Buffer.isBuffer(data) ? data : Buffer.from(data)];
}
