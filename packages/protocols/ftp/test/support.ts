import net from 'node:net';
import { Readable, Writable } from 'node:stream';
import { Client } from 'basic-ftp';
import { abandon, collectCleanups, RawConnection, startKind, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { ftp } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export type Running = RunningKind;

/** A host with a running FTP kind; it is stopped after the test. */
export function startHost(settings: Json = {}): Promise<Running> {
  return startKind(ftp, afterThis, settings);
}

/** basic-ftp, logged in as anybody; closed after the test. */
export async function openClient(
  port: number,
  options: { user?: string; password?: string; secure?: boolean | 'implicit'; host?: string } = {},
): Promise<Client> {
  const client = new Client(10_000);
  afterThis(() => client.close());
  await client.access({
    host: '127.0.0.1',
    port,
    ...(options.secure === undefined ? {} : { secureOptions: { rejectUnauthorized: false } }),
    ...options,
  });
  return client;
}

/** Downloads a file as text. */
export async function download(client: Client, path: string, startAt = 0): Promise<string> {
  return (await downloadBytes(client, path, startAt)).toString();
}

/** Downloads a file. */
export async function downloadBytes(client: Client, path: string, startAt = 0): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await client.downloadTo(sink, path, startAt);
  return Buffer.concat(chunks);
}

/** Uploads a text or bytes. */
export async function upload(client: Client, path: string, content: string | Buffer): Promise<void> {
  await client.uploadFrom(Readable.from([Buffer.from(content)]), path);
}

/** A client that writes lines as they are, and reads replies. */
export class RawClient extends RawConnection {
  /** Connects, and takes the greeting. */
  static async open(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const client = new RawClient(await RawConnection.openSocket({ port, host }), afterThis);
    await client.next();
    return client;
  }

  /** Connects and logs in. */
  static async login(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const client = await RawClient.open(port, host);
    await client.ask('USER anonymous');
    await client.ask('PASS a@b');
    return client;
  }

  /** Sends a command and gives the reply. */
  ask(line: string): Promise<string> {
    this.send(`${line}\r\n`);
    return this.next();
  }

  /** The next reply, all its lines; `closed` when the connection ended instead. */
  async next(): Promise<string> {
    const find = (): string | undefined =>
      /^(?:(\d{3})-[^]*?\r\n\1 [^\r\n]*|\d{3} [^\r\n]*)\r\n/.exec(this.received.toString('latin1'))?.[0];
    await this.until(() => find() !== undefined);
    const found = find();
    if (found === undefined) return 'closed';
    return this.take(found.length).toString('utf8').trimEnd().replaceAll('\r\n', '\n');
  }

  /** Asks for a passive connection and makes it. */
  async passive(): Promise<net.Socket> {
    const reply = await this.ask('EPSV');
    return connectData(portOf(reply), this.socket.remoteAddress);
  }
}

/** The port in a reply to EPSV or PASV. */
export function portOf(reply: string): number {
  const extended = /\|\|\|(\d+)\|/.exec(reply)?.[1];
  if (extended !== undefined) return Number(extended);
  const [high = 0, low = 0] = (/\(([\d,]+)\)/.exec(reply)?.[1] ?? '').split(',').slice(4).map(Number);
  return high * 256 + low;
}

/** Connects to a data port. */
export async function connectData(port: number, host = '127.0.0.1'): Promise<net.Socket> {
  const socket = net.connect({ port, host });
  afterThis(() => abandon(socket));
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => undefined);
  return socket;
}

/** All that comes until the end. */
export function readAll(socket: net.Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('close', () => resolve(Buffer.concat(chunks)));
    socket.once('end', () => socket.end());
  });
}
