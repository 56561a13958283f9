import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createHost, type Host, type HostOptions, type Protocol } from '@backlot/core';
import { createManagementServer, type ManagementOptions } from '../../src/index.js';
import { echo } from './echo.js';
import { asleep, plain } from './plain.js';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body; throws when it is none. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** A running management port in front of the test protocols. */
export interface Management {
  readonly host: Host;
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends bytes as they are and answers all that came until the server closed or the text matched. */
  raw(text: string | Buffer, until?: RegExp): Promise<string>;
  /** Sends one line to the echo server and answers the next line. */
  ask(line: string): Promise<string>;
  /** A connection to the echo server that stays. */
  connect(): Promise<EchoClient>;
}

export interface EchoClient {
  send(line: string): void;
  nextLine(): Promise<string>;
  close(): void;
}

const running: (() => Promise<void>)[] = [];

/** Stops everything that tests of this file started. */
export async function stopAll(): Promise<void> {
  for (const stop of running.splice(0)) await stop();
}

/** Starts a host with the test protocols and its management port. */
export async function start(
  options: ManagementOptions = {},
  given: Partial<HostOptions> = {},
  change: (server: Server) => void = () => undefined,
): Promise<Management> {
  const host = await createHost({
    seed: 1,
    version: '1.2.3',
    protocols: [echo, plain, asleep] as readonly Protocol[],
    ...given,
    settings: { ...(given.protocols === undefined ? { asleep: { enabled: false } } : {}), ...given.settings },
  });
  await host.start();
  const server = createManagementServer(host, options);
  change(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clients = new Set<Socket>();
  running.push(async () => {
    for (const client of clients) client.destroy();
    await host.stop(0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const openEcho = async (): Promise<EchoClient> => {
    const socket = connect(host.kind('echo').address?.port ?? 0, '127.0.0.1');
    clients.add(socket);
    const lines: string[] = [];
    const waiting: ((line: string) => void)[] = [];
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        const next = waiting.shift();
        if (next === undefined) lines.push(line);
        else next(line);
      }
    });
    await new Promise((resolve) => socket.once('connect', resolve));
    return {
      send: (line) => void socket.write(`${line}\n`),
      nextLine: () =>
        new Promise((resolve) => {
          const line = lines.shift();
          if (line === undefined) waiting.push(resolve);
          else resolve(line);
        }),
      close: () => void socket.destroy(),
    };
  };

  const url = `http://127.0.0.1:${port}`;
  return {
    host,
    server,
    port,
    url,
    async call(method, path, body, headers = {}) {
      const isText = typeof body === 'string' || body instanceof Uint8Array;
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: isText ? (body as string) : JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        get body() {
          return JSON.parse(text);
        },
      };
    },
    raw: (text, until) =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        clients.add(socket);
        let received = '';
        socket.setEncoding('latin1').on('data', (chunk: string) => {
          received += chunk;
          if (until?.test(received) === true) socket.destroy();
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(received));
      }),
    async ask(line) {
      const client = await openEcho();
      client.send(line);
      const answer = await client.nextLine();
      client.close();
      return answer;
    },
    connect: openEcho,
  };
}
