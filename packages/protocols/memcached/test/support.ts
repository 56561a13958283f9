import net from 'node:net';
import { afterEach } from '@jest/globals';
import { createHost, type Host, type Json, type Kind } from '@backlot/core';
import { abandon } from '@backlot/conformance';
import { Client, type ClientOptions } from 'memjs';
import { memcached } from '../src/index.js';

const cleanups: (() => unknown)[] = [];

/** Runs when the test has ended, the last one first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export interface Running {
  readonly host: Host;
  readonly kind: Kind;
  readonly port: number;
  readonly log: readonly string[];
}

/** A host with a running Memcached kind; it is stopped after the test. */
export async function startHost(settings: Json = {}, mocks: readonly Json[] = []): Promise<Running> {
  const log: string[] = [];
  const host = await createHost({
    protocols: [memcached],
    settings: { memcached: { host: '127.0.0.1', port: 0, ...settings, mocks } },
    seed: 1,
    log: ({ level, text }) => log.push(`${level}: ${text}`),
  });
  afterwards(() => host.stop(100));
  await host.start();
  const kind = host.kind('memcached');
  return { host, kind, port: kind.address?.port ?? 0, log };
}

/** A client of memjs in its default settings. */
export function connectMemjs(port: number, options: ClientOptions = {}, login = ''): Client {
  const client = Client.create(`${login}127.0.0.1:${port}`, { logger: { log: () => undefined }, ...options });
  afterwards(() => client.close());
  return client;
}

/** Sends all, ends its side and resolves with all that came until the connection was closed; one character per byte. */
export async function converse(port: number, text: string | Buffer): Promise<string> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

/** A client that speaks the protocol by itself. */
export class RawClient {
  readonly socket: net.Socket;
  received = '';
  isClosed = false;
  readonly #watchers = new Set<() => void>();

  constructor(port: number) {
    const notify = (): void => {
      for (const watcher of this.#watchers) watcher();
    };
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
      notify();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      notify();
    });
    afterwards(() => abandon(this.socket));
  }

  send(text: string): void {
    this.socket.write(Buffer.from(text, 'latin1'));
  }

  /** Sends, and resolves with what came up to the answer of a command that only marks the end. */
  async ask(text: string): Promise<string> {
    this.received = '';
    this.send(`${text}mn\r\n`);
    await this.until(() => this.received.endsWith('MN\r\n') || this.isClosed);
    return this.received.replace(/MN\r\n$/, '');
  }

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
}

/** What a request is made of; texts have one character per byte. */
export interface RequestParts {
  readonly key?: string;
  readonly extras?: Buffer;
  readonly value?: string;
  readonly cas?: bigint;
  readonly opaque?: number;
}

/** A request of the binary protocol. */
export function request(
  opcode: number,
  { key = '', extras = Buffer.alloc(0), value = '', cas = 0n, opaque = 0x01020304 }: RequestParts = {},
): Buffer {
  const header = Buffer.alloc(24);
  header[0] = 0x80;
  header[1] = opcode;
  header.writeUInt16BE(Buffer.byteLength(key, 'latin1'), 2);
  header[4] = extras.length;
  header.writeUInt32BE(extras.length + key.length + value.length, 8);
  header.writeUInt32BE(opaque, 12);
  header.writeBigUInt64BE(cas, 16);
  return Buffer.concat([header, extras, Buffer.from(key, 'latin1'), Buffer.from(value, 'latin1')]);
}

/** Numbers of 32 bits one behind the other. */
export function words32(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => bytes.writeUInt32BE(number, index * 4));
  return bytes;
}
