import net from 'node:net';
import { afterEach } from '@jest/globals';
import { createHost, type Host, type Json } from '@backlot/core';
import { tcp } from '../src/index.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A host with a running TCP kind; it is stopped after the test. */
export async function startHost(
  settings: Json = {},
  more: { state?: Record<string, string> } = {},
): Promise<Running> {
  const log: string[] = [];
  const host = await createHost({
    protocols: [tcp],
    settings: { tcp: { host: '127.0.0.1', port: 0, ...settings } },
    seed: 1,
    log: ({ level, text }) => log.push(`${level}: ${text}`),
    ...more,
  });
  cleanups.push(() => host.stop(100));
  await host.start();
  const port = host.kind('tcp').address?.port ?? 0;
  return { host, port, log };
}

export interface Running {
  readonly host: Host;
  readonly port: number;
  readonly log: readonly string[];
}

/** A client that keeps what it was sent. */
export class Client {
  readonly socket: net.Socket;
  /** `end`, `reset` or `open`. */
  closing: 'open' | 'end' | 'reset' = 'open';
  /** How many bytes were received. */
  size = 0;
  #chunks: Buffer[] = [];
  #watchers = new Set<() => void>();

  constructor(socket: net.Socket) {
    this.socket = socket;
    const notify = (): void => {
      for (const watcher of this.#watchers) watcher();
    };
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.size += chunk.length;
      notify();
    });
    socket.on('end', () => {
      if (this.closing === 'open') this.closing = 'end';
      notify();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') this.closing = 'reset';
      notify();
    });
    socket.on('close', notify);
    cleanups.push(() => socket.destroy());
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
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const watch = (): void => {
        if (!condition()) return;
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
    });
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
