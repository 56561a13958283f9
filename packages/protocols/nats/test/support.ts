import net from 'node:net';
import { abandon, collectCleanups, startKind, watchSocket, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import * as nats2 from 'nats';
import * as nats3 from '@nats-io/transport-node';
import { nats } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export interface Running extends RunningKind {
  readonly captured: () => readonly Json[];
}

/** A host with a running NATS kind; it is stopped after the test. */
export async function startHost(settings: Json = {}, mocks: readonly Json[] = []): Promise<Running> {
  const running = await startKind(nats, afterThis, { ...settings, mocks });
  return { ...running, captured: () => running.kind.captures?.values() as readonly Json[] };
}

/** A client of `@nats-io/transport-node`. */
export async function connect3(
  port: number,
  options: nats3.NodeConnectionOptions = {},
): Promise<nats3.NatsConnection> {
  const client = await nats3.connect({ servers: `127.0.0.1:${port}`, ...options });
  afterThis(() => client.close());
  return client;
}

/** A client of `nats` 2. */
export async function connect2(
  port: number,
  options: nats2.ConnectionOptions = {},
): Promise<nats2.NatsConnection> {
  const client = await nats2.connect({ servers: `127.0.0.1:${port}`, ...options });
  afterThis(() => client.close());
  return client;
}

/** What CONNECT says of a client that wants no confirmations. */
export const QUIET = 'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n';

/** A client that speaks the protocol by itself. */
export class RawClient {
  readonly socket: net.Socket;
  /** All that was received after the greeting. */
  received = Buffer.alloc(0);
  isClosed = false;

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
    afterThis(() => abandon(socket));
  }

  /** Connects and reads the greeting. */
  static async connect(port: number): Promise<RawClient> {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    const client = new RawClient(socket);
    await client.until(() => client.text.includes('\r\n') || client.isClosed);
    if (!client.text.includes('\r\n')) throw new Error(`nothing greets on port ${port}`);
    client.received = client.received.subarray(client.received.indexOf('\n') + 1);
    return client;
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  send(data: string | Uint8Array): void {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Sends, asks for a PONG, and resolves with all that came before it, or before the connection was closed. */
  async ask(data: string): Promise<string> {
    this.received = Buffer.alloc(0);
    this.send(`${data}PING\r\n`);
    // What is asked may ask for one itself, and an answer may come in pieces.
    const asked = 1 + (data.match(/(?<=^|\n)PING\r\n/gi) ?? []).length;
    await this.until(
      () => (this.text.endsWith('PONG\r\n') && this.text.split('PONG\r\n').length > asked) || this.isClosed,
    );
    return this.text.replace(/PONG\r\n$/, '');
  }

  /** Resolves with all that came when the connection is closed. */
  async untilClosed(): Promise<string> {
    await this.until(() => this.isClosed);
    return this.text;
  }

  until(condition: () => boolean): Promise<void> {
    return watchSocket(this.socket, condition);
  }
}

/** Sends over a connection of its own and resolves with all that came until it was closed, or until a PONG. */
export async function converse(port: number, data: string): Promise<string> {
  const client = await RawClient.connect(port);
  const answer = await client.ask(data);
  return client.isClosed ? `${answer}<closed>` : answer;
}
