import { collectCleanups, RawConnection, startKind, type RunningKind } from '@backlot/conformance';
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
export class RawClient extends RawConnection {
  #beats = 0;
  #receipts = 0;
  readonly #frames: Received[] = [];

  static async open(port: number, options: { tls?: boolean } = {}): Promise<RawClient> {
    return new RawClient(await RawConnection.openSocket({ port, ...options }), afterThis);
  }

  /** Opens and connects. */
  static async connect(port: number, version = '1.2', headers = ''): Promise<RawClient> {
    const client = await RawClient.open(port);
    client.send(`CONNECT\naccept-version:${version}\nhost:localhost\n${headers}\n\0`);
    await client.next('CONNECTED');
    return client;
  }

  /** Line ends between frames. */
  get beats(): number {
    this.#cut();
    return this.#beats;
  }

  /** The frames that have come and were not taken out. */
  get frames(): Received[] {
    this.#cut();
    return this.#frames;
  }

  /** Takes out the next frame of this command; others stay. */
  async next(command: string): Promise<Received> {
    await this.until(() => this.frames.some((frame) => frame.command === command));
    const place = this.frames.findIndex((frame) => frame.command === command);
    const [frame] = place < 0 ? [] : this.frames.splice(place, 1);
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
  /** Cuts what has come into frames. */
  #cut(): void {
    for (;;) {
      let start = 0;
      while (this.received[start] === 10) start += 1;
      this.#beats += start;
      this.take(start);
      const bytes = this.received;
      const headEnd = bytes.indexOf('\n\n');
      if (headEnd < 0) return;
      const [command = '', ...lines] = bytes.toString('utf8', 0, headEnd).split('\n');
      const headers = Object.create(null) as Record<string, string>;
      for (const line of lines) {
        const colon = line.indexOf(':');
        headers[line.slice(0, colon)] ??= line.slice(colon + 1);
      }
      const length = headers['content-length'];
      const bodyStart = headEnd + 2;
      const end = length === undefined ? bytes.indexOf(0, bodyStart) : bodyStart + Number(length);
      if (end < 0 || bytes.length <= end) return;
      if (bytes[end] !== 0) throw new Error('no NUL at the end of a frame');
      const raw = bytes.toString('utf8', 0, end);
      this.#frames.push({ command, headers, body: bytes.toString('utf8', bodyStart, end), raw });
      this.take(end + 1);
    }
  }
}
