import net from 'node:net';
import tls from 'node:tls';
import { abandon, collectCleanups, startKind, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { stomp } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export type Running = RunningKind;

/** A host with a running STOMP kind; it is stopped after the test. */
export function startHost(settings: Json = {}): Promise<Running> {
  return startKind(stomp, afterThis, settings);
}

/** What came in one frame: its lines, and its body. */
export interface Received {
  readonly command: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly raw: string;
}

/** A client that writes bytes as they are, and cuts what comes into frames. Escapes are left as they are. */
export class RawClient {
  readonly socket: net.Socket;
  readonly frames: Received[] = [];
  /** Line ends between frames. */
  beats = 0;
  isClosed = false;
  #bytes = Buffer.alloc(0);
  readonly #watchers = new Set<() => void>();

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#cut();
      this.#notify();
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.isClosed = true;
      this.#notify();
    });
    afterThis(() => (socket instanceof tls.TLSSocket ? socket.destroy() : abandon(socket)));
  }

  static async open(port: number, options: { tls?: boolean } = {}): Promise<RawClient> {
    const place = { port, host: '127.0.0.1' };
    const socket =
      options.tls === true ? tls.connect({ ...place, rejectUnauthorized: false }) : net.connect(place);
    socket.setNoDelay(true);
    await new Promise<void>((resolve, reject) =>
      socket.once(options.tls === true ? 'secureConnect' : 'connect', () => resolve()).once('error', reject),
    );
    return new RawClient(socket);
  }

  /** Opens and connects. */
  static async connect(port: number, version = '1.2', headers = ''): Promise<RawClient> {
    const client = await RawClient.open(port);
    client.send(`CONNECT\naccept-version:${version}\nhost:localhost\n${headers}\n\0`);
    await client.next('CONNECTED');
    return client;
  }

  send(frame: string | Buffer): void {
    this.socket.write(frame);
  }

  /** Takes out the next frame of this command; others stay. */
  async next(command: string): Promise<Received> {
    await this.until(() => this.frames.some((frame) => frame.command === command));
    const place = this.frames.findIndex((frame) => frame.command === command);
    const [frame] = this.frames.splice(place, 1);
    if (frame === undefined)
      throw new Error(`no ${command} came; got ${JSON.stringify(this.frames.map(({ raw }) => raw))}`);
    return frame;
  }

  /** Sends a frame with a receipt, and waits for it. */
  async request(frame: string): Promise<void> {
    const receipt = `r${(this.#receipts += 1)}`;
    this.send(frame.replace('\n', `\nreceipt:${receipt}\n`));
    const { headers } = await this.next('RECEIPT');
    if (headers['receipt-id'] !== receipt)
      throw new Error(`got receipt ${headers['receipt-id']}, want ${receipt}`);
  }
  #receipts = 0;

  /** Resolves once the condition holds, or the connection is closed. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.isClosed) {
      await new Promise<void>((resolve) => {
        const watch = (): void => {
          this.#watchers.delete(watch);
          resolve();
        };
        this.#watchers.add(watch);
      });
    }
  }

  async closes(): Promise<void> {
    await this.until(() => this.isClosed);
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #cut(): void {
    for (;;) {
      let start = 0;
      while (this.#bytes[start] === 10) start += 1;
      this.beats += start;
      this.#bytes = this.#bytes.subarray(start);
      const headEnd = this.#bytes.indexOf('\n\n');
      if (headEnd < 0) return;
      const [command = '', ...lines] = this.#bytes.toString('utf8', 0, headEnd).split('\n');
      const headers = Object.create(null) as Record<string, string>;
      for (const line of lines) {
        const colon = line.indexOf(':');
        headers[line.slice(0, colon)] ??= line.slice(colon + 1);
      }
      const length = headers['content-length'];
      const bodyStart = headEnd + 2;
      const end = length === undefined ? this.#bytes.indexOf(0, bodyStart) : bodyStart + Number(length);
      if (end < 0 || this.#bytes.length <= end) return;
      if (this.#bytes[end] !== 0) throw new Error('no NUL at the end of a frame');
      const raw = this.#bytes.toString('utf8', 0, end);
      this.frames.push({ command, headers, body: this.#bytes.toString('utf8', bodyStart, end), raw });
      this.#bytes = this.#bytes.subarray(end + 1);
    }
  }
}
