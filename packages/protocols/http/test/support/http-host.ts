import net from 'node:net';
import { createHost, type Host } from '@backlot/core';
import { http } from '../../src/index.js';

const running: HttpHost[] = [];

/** A host with an HTTP server on a free port. */
export interface HttpHost {
  readonly host: Host;
  readonly port: number;
  readonly url: string;
  /** What the server wrote to its log. */
  readonly lines: string[];
}

/** Starts a host; {@link stopAll} ends it. */
export async function startHttp(
  mocks: readonly object[] = [],
  config: object = {},
  more: object = {},
): Promise<HttpHost> {
  const lines: string[] = [];
  const host = await createHost({
    protocols: [http],
    settings: { http: { host: '127.0.0.1', port: 0, mocks: mocks as never, ...config } },
    seed: 1,
    log: ({ level, text }) => lines.push(`${level}: ${text}`),
    ...more,
  });
  await host.start();
  const port = host.kind('http').address?.port ?? 0;
  const started = { host, port, url: `http://127.0.0.1:${port}`, lines };
  running.push(started);
  return started;
}

/** Stops every host of a test. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map(({ host }) => host.stop(200)));
}

/** A socket that collects what it is sent. */
export class RawClient {
  readonly socket: net.Socket;
  received = '';
  readonly closed: Promise<string>;
  failure: NodeJS.ErrnoException | undefined;
  #onData: (() => void) | undefined;

  constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.received += text;
      this.#onData?.();
    });
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.failure = error;
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.#onData?.();
        resolve(this.received);
      });
    });
  }

  send(text: string | Buffer): this {
    if (typeof text === 'string') this.socket.write(text, 'latin1');
    else this.socket.write(text);
    return this;
  }

  /** Resolves once what was received fulfils the condition; rejects when the connection closes before. */
  until(isEnough: (received: string) => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (isEnough(this.received)) resolve(this.received);
        else if (this.socket.destroyed) reject(new Error(`closed after ${JSON.stringify(this.received)}`));
      };
      this.#onData = look;
      look();
    });
  }

  destroy(): void {
    this.socket.destroy();
  }
}
