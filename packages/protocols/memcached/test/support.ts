import net from 'node:net';
import {
  abandon,
  collectCleanups,
  playSession,
  startKind,
  watchSocket,
  type RunningKind,
} from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { Client, type ClientOptions } from 'memjs';
import { memcached } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export type Running = RunningKind;

/** A host with a running Memcached kind; it is stopped after the test. */
export function startHost(settings: Json = {}, mocks: readonly Json[] = []): Promise<Running> {
  return startKind(memcached, afterThis, { ...settings, mocks });
}

/** A client of memjs in its default settings. */
export function connectMemjs(port: number, options: ClientOptions = {}, login = ''): Client {
  const client = Client.create(`${login}127.0.0.1:${port}`, { logger: { log: () => undefined }, ...options });
  afterThis(() => client.close());
  return client;
}

/** Sends all, ends its side and resolves with all that came until the connection was closed; one character per byte. */
export async function converse(port: number, text: string | Buffer): Promise<string> {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return (await playSession(port, bytes)).toString('latin1');
}

/** A client that speaks the protocol by itself. */
export class RawClient {
  readonly socket: net.Socket;
  received = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    afterThis(() => abandon(this.socket));
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
    return watchSocket(this.socket, condition);
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
