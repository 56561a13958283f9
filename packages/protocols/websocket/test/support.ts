import { once } from 'node:events';
import { collectCleanups, RawConnection, startKind, type RunningKind } from '@backlot/conformance';
import type { Json, JournalEntry } from '@backlot/core';
import { WebSocket, type ClientOptions } from 'ws';
import { websocket } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export interface Running extends RunningKind {
  readonly url: string;
  /** The entries of the journal with this method. */
  logged(method: 'CONNECT' | 'MESSAGE' | 'CLOSE'): readonly JournalEntry[];
}

/** A host with a running WebSocket kind; it is stopped after the test. */
export async function startHost(mocks: readonly Json[] = [], settings: Json = {}): Promise<Running> {
  const running = await startKind(websocket, afterThis, { mocks, ...settings });
  return {
    ...running,
    url: `${settings['tls'] === undefined ? 'ws' : 'wss'}://127.0.0.1:${running.port}`,
    logged: (method) => running.host.journal.list().filter((entry) => entry['method'] === method),
  };
}

/** What a client was sent: a text, bytes, or the end as `close <code> <reason>`. */
type Received = string | Buffer;

/** A client of `ws` that keeps what it was sent until somebody asks. */
export class Client {
  readonly socket: WebSocket;
  readonly #received: Received[] = [];
  readonly #takers: ((received: Received) => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => this.#take(isBinary ? data : data.toString()));
    socket.on('close', (code, reason) => this.#take(`close ${code} ${reason.toString()}`.trim()));
    socket.on('error', () => undefined);
    afterThis(() => socket.terminate());
  }

  /** Connects; rejects with `ws`'s own error, such as `Unexpected server response: 404`. */
  static async connect(
    url: string,
    subprotocols: string[] = [],
    options: ClientOptions = {},
  ): Promise<Client> {
    const client = new Client(new WebSocket(url, subprotocols, options));
    await once(client.socket, 'open');
    return client;
  }

  send(data: string | Buffer): void {
    this.socket.send(data);
  }

  /** The next thing that arrives. */
  next(): Promise<Received> {
    const received = this.#received.shift();
    if (received !== undefined) return Promise.resolve(received);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Sends, and resolves with the next thing that arrives. */
  ask(data: string | Buffer): Promise<Received> {
    this.send(data);
    return this.next();
  }

  /** Resolves once a ping that is sent now is answered: all that was sent before has been handled then. */
  async settle(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong');
  }

  /** What has arrived and was not asked for. */
  get left(): readonly Received[] {
    return this.#received;
  }

  #take(received: Received): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#received.push(received);
    else taker(received);
  }
}

/** An HTTP/1.1 request that asks for an upgrade; headers replace those it has. */
export function upgradeRequest(
  path: string,
  headers: Readonly<Record<string, string | undefined>> = {},
): string {
  const all = {
    Host: 'localhost',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

/** A connection without a client: what comes back is kept. */
export class Raw extends RawConnection {
  static async open(port: number): Promise<Raw> {
    return new Raw(await RawConnection.openSocket({ port }), afterThis);
  }

  /** Upgrades; resolves once the answer has come. */
  static async upgrade(port: number, path: string): Promise<Raw> {
    const raw = await Raw.open(port);
    raw.send(upgradeRequest(path));
    await raw.until(() => raw.received.includes('\r\n\r\n'));
    raw.take();
    return raw;
  }

  /** Resolves once the condition holds for what has come, as latin1 text. */
  untilText(condition: (text: string) => boolean): Promise<void> {
    return this.until(() => condition(this.received.toString('latin1')));
  }

  /** Resolves with all that came, once the connection is closed. */
  async end(): Promise<Buffer> {
    await this.closes();
    return this.received;
  }
}

/** A masked frame as a client sends it; the mask is zero, so that the payload stays readable. */
export function clientFrame(first: number, payload: string | Buffer, announced?: number): Buffer {
  const data = Buffer.from(payload as string);
  const length = announced ?? data.length;
  const head = length < 126 ? Buffer.from([first, 0x80 | length]) : Buffer.alloc(length < 65_536 ? 4 : 10);
  if (length >= 126) {
    head[0] = first;
    head[1] = 0x80 | (length < 65_536 ? 126 : 127);
    if (length < 65_536) head.writeUInt16BE(length, 2);
    else head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, Buffer.alloc(4), data]);
}

/** The close code of the first close frame in these bytes. */
export function closeCodeIn(bytes: Buffer): number | undefined {
  const place = bytes.indexOf(0x88);
  return place < 0 || bytes.length < place + 4 ? undefined : bytes.readUInt16BE(place + 2);
}
