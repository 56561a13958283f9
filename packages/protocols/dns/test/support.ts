import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import net from 'node:net';
import { collectCleanups, startKind, watchSocket, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import packet, { type DecodedPacket, type Packet } from 'dns-packet';
import { dns } from '../src/index.js';

const afterThis = collectCleanups();

/** A running host and its port. */
export type Running = RunningKind;

/** A host with a running DNS kind; it is stopped after the test. */
export function startHost(settings: Json = {}): Promise<Running> {
  return startKind(dns, afterThis, settings);
}

/** The octets of a query as dns-packet writes them. */
export function encodeQuery(name: string, type = 'A', more: Partial<Packet> = {}): Buffer {
  return packet.encode({
    type: 'query',
    id: 0x1234,
    flags: packet.RECURSION_DESIRED,
    questions: [{ type: type as 'A', name }],
    ...more,
  });
}

/** A UDP client that keeps its answers in order. */
export class UdpClient {
  readonly socket = dgram.createSocket('udp4');
  readonly #port: number;
  readonly #answers: Buffer[] = [];
  readonly #waiting: ((answer: Buffer) => void)[] = [];

  constructor(port: number) {
    this.#port = port;
    this.socket.on('message', (answer) => {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#answers.push(answer);
      else waiting(answer);
    });
    afterThis(() => new Promise<void>((resolve) => this.socket.close(resolve)));
  }

  /** Sends octets; several times without waiting for answers is fine. */
  send(octets: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      this.socket.send(octets, this.#port, '127.0.0.1', (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
  }

  /** The next answer's octets. */
  receive(): Promise<Buffer> {
    const answer = this.#answers.shift();
    return answer === undefined
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve(answer);
  }

  async ask(octets: Uint8Array): Promise<DecodedPacket> {
    await this.send(octets);
    return packet.decode(await this.receive());
  }

  /** How many answers came that nobody has received. */
  get spare(): number {
    return this.#answers.length;
  }
}

/** A TCP client that takes answers by their id. */
export class TcpClient {
  readonly socket: net.Socket;
  readonly answers: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);
  isClosed = false;

  constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.on('data', (chunk) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      while (this.#rest.length >= 2 && this.#rest.length >= 2 + this.#rest.readUInt16BE(0)) {
        const end = 2 + this.#rest.readUInt16BE(0);
        this.answers.push(this.#rest.subarray(2, end));
        this.#rest = this.#rest.subarray(end);
      }
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    afterThis(() => this.socket.destroy());
  }

  send(...queries: Uint8Array[]): void {
    const prefixed = queries.flatMap((query) => [
      Buffer.from([query.length >> 8, query.length & 0xff]),
      query,
    ]);
    this.socket.write(Buffer.concat(prefixed));
  }

  until(condition: () => boolean): Promise<void> {
    return watchSocket(this.socket, condition);
  }

  async receive(count: number): Promise<DecodedPacket[]> {
    await this.until(() => this.answers.length >= count);
    return this.answers.map((answer) => packet.decode(answer));
  }
}

/** Runs dig against the server and answers what it printed. */
export function dig(port: number, ...words: string[]): Promise<string> {
  const child = spawn('dig', ['@127.0.0.1', '-p', String(port), '+tries=1', '+time=5', ...words]);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
