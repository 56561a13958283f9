import dgram from 'node:dgram';
import net from 'node:net';
import { collectCleanups, startKind, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { sip } from '../src/index.js';

const afterThis = collectCleanups();

/** A running host and its port. */
export type Running = RunningKind;

/** A host with a running SIP kind; it is stopped after the test. */
export function startHost(mocks: readonly Json[] = [], settings: Json = {}): Promise<Running> {
  return startKind(sip, afterThis, { mocks, ...settings });
}

/** A response in parts. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly text: string;
}

/** Reads a response as the RFC has it, strictly. */
export function parseAnswer(text: string): Answer {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, end).split('\r\n');
  const parts = /^SIP\/2\.0 (\d{3}) ([^\r\n]*)$/.exec(start);
  if (parts === null || end < 0) throw new Error(`no response: ${JSON.stringify(text)}`);
  const headers: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const line of lines) {
    const header = /^([A-Za-z-]+): ?(.*)$/.exec(line);
    if (header === null) throw new Error(`no header: ${JSON.stringify(line)}`);
    (headers[(header[1] ?? '').toLowerCase()] ??= []).push(header[2] ?? '');
  }
  return { status: Number(parts[1]), reason: parts[2] ?? '', headers, body: text.slice(end + 4), text };
}

let made = 0;

/** What a request is made of; what is left out is as a client would have it. */
export interface RequestParts {
  readonly uri?: string;
  readonly via?: string;
  readonly branch?: string;
  readonly callId?: string;
  readonly to?: string;
  readonly cseq?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** A request that no other is like. */
export function makeRequest(method: string, parts: RequestParts = {}): string {
  made += 1;
  const {
    uri = 'sip:alice@example.com',
    branch = `z9hG4bK-${made}`,
    via = `SIP/2.0/UDP 127.0.0.1:5099;rport;branch=${branch}`,
    callId = `call-${made}@test`,
    to = '<sip:alice@example.com>',
    cseq = `1 ${method}`,
    headers = [],
    body = '',
  } = parts;
  const lines = [
    `${method} ${uri} SIP/2.0`,
    `Via: ${via}`,
    `From: "Tester" <sip:tester@example.com>;tag=t${made}`,
    `To: ${to}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq}`,
    'Max-Forwards: 70',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The same request with another method and CSeq: its ACK or CANCEL. */
export function follow(request: string, method: string): string {
  const [first = ''] = request.split(' ', 1);
  return request
    .replace(`${first} `, `${method} `)
    .replace(/^(CSeq: \d+) .*$/m, `$1 ${method}`)
    .replace(/^Content-Length: .*$/m, 'Content-Length: 0')
    .replace(/\r\n\r\n[^]*$/, '\r\n\r\n');
}

/** What has come, and who waits for more. */
class Inbox {
  readonly #come: string[] = [];
  readonly #waiting: ((text: string) => void)[] = [];

  put(text: string): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#come.push(text);
    else waiting(text);
  }

  get spare(): number {
    return this.#come.length;
  }

  take(): Promise<string> {
    const text = this.#come.shift();
    return text === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(text);
  }
}

/** A client of one datagram per message. */
export class UdpClient {
  readonly socket = dgram.createSocket('udp4');
  readonly #inbox = new Inbox();
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
    this.socket.on('message', (data) => this.#inbox.put(data.toString()));
    afterThis(() => new Promise<void>((resolve) => this.socket.close(resolve)));
  }

  get spare(): number {
    return this.#inbox.spare;
  }

  send(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      this.socket.send(data, this.#port, '127.0.0.1', (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
  }

  receiveText(): Promise<string> {
    return this.#inbox.take();
  }

  async receive(): Promise<Answer> {
    return parseAnswer(await this.receiveText());
  }

  async ask(request: string): Promise<Answer> {
    await this.send(request);
    return this.receive();
  }

  /** Resolves with what came before the answer to a keep-alive, which comes last. */
  async settle(): Promise<string[]> {
    await this.send('\r\n\r\n');
    const others: string[] = [];
    for (;;) {
      const text = await this.receiveText();
      if (text === '\r\n') return others;
      others.push(text);
    }
  }
}

/** A client of one connection. */
export class TcpClient {
  readonly socket: net.Socket;
  readonly #inbox = new Inbox();
  #rest = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#inbox.put('closed');
    });
    this.socket.on('data', (data) => this.#read(data.toString('latin1')));
    afterThis(() => {
      this.socket.destroy();
    });
  }

  send(data: string | Uint8Array): void {
    this.socket.write(data);
  }

  /** The next message, a keep-alive (`\r\n`), or `closed`. */
  receiveText(): Promise<string> {
    return this.#inbox.take();
  }

  async receive(): Promise<Answer> {
    return parseAnswer(await this.receiveText());
  }

  ask(request: string): Promise<Answer> {
    this.send(request);
    return this.receive();
  }

  #read(text: string): void {
    this.#rest += text;
    for (;;) {
      const end = this.#rest.indexOf('\r\n\r\n');
      if (this.#rest.startsWith('\r\n')) {
        this.#rest = this.#rest.slice(2);
        this.#inbox.put('\r\n');
        continue;
      }
      if (end < 0) return;
      const length = Number(/^Content-Length: (\d+)/m.exec(this.#rest)?.[1] ?? 0);
      if (this.#rest.length < end + 4 + length) return;
      this.#inbox.put(this.#rest.slice(0, end + 4 + length));
      this.#rest = this.#rest.slice(end + 4 + length);
    }
  }
}
