import net from 'node:net';
import { collectCleanups, startKind, watchSocket, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { tcp } from '../src/index.js';

const afterThis = collectCleanups();

/** A host with a running TCP kind; it is stopped after the test. */
export function startHost(
  settings: Json = {},
  more: { state?: Record<string, string> } = {},
): Promise<Running> {
  return startKind(tcp, afterThis, settings, more);
}

export type Running = RunningKind;

/** A client that keeps what it was sent. */
export class Client {
  readonly socket: net.Socket;
  /** `end`, `reset` or `open`. */
  closing: 'open' | 'end' | 'reset' = 'open';
  /** How many bytes were received. */
  size = 0;
  #chunks: Buffer[] = [];

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.size += chunk.length;
    });
    socket.on('end', () => {
      if (this.closing === 'open') this.closing = 'end';
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') this.closing = 'reset';
    });
    afterThis(() => socket.destroy());
  }

  static async connect(port: number): Promise<Client> {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const client = new Client(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return client;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  /** Sends in one packet and returns once it has left. */
  send(data: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) =>
      this.socket.write(data, (error) => (error ? reject(error) : resolve())),
    );
  }

  /** Resolves once the condition holds. */
  until(condition: () => boolean): Promise<void> {
    return watchSocket(this.socket, condition);
  }

  /** Resolves with all that was received, once it is at least this text long. */
  async receives(text: string): Promise<string> {
    const length = Buffer.byteLength(text);
    await this.until(() => this.size >= length || this.closing !== 'open');
    return this.text;
  }

  /** Resolves once the connection is closed, with how. */
  async closes(): Promise<'end' | 'reset'> {
    await this.until(() => this.closing !== 'open');
    return this.closing === 'reset' ? 'reset' : 'end';
  }
}
