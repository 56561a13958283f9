import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net from 'node:net';
import { afterEach } from '@jest/globals';
import { createHost, type Host, type WebhookAttempt } from '@backlot/core';
import {
  defineProtocol,
  Type,
  WebhookSchema,
  type Context,
  type CompiledMock,
  type CompiledWebhook,
  type Message,
  type ValueOf,
} from '@backlot/core/plugin';
import { createWebhooks, type WebhookOptions } from '../src/index.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A request that a target took in. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A server that webhooks call. */
export interface Target {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
}

/** Starts a target; `answer` is given each request with its number from 1. Without one it answers 204. */
export async function startTarget(
  answer?: (response: ServerResponse, number: number, request: IncomingMessage) => void,
): Promise<Target> {
  const received: Received[] = [];
  let seen = 0;
  const server = http.createServer((request, response) => {
    const number = (seen += 1);
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('error', () => undefined);
    request.on('end', () => {
      received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      if (answer === undefined) response.writeHead(204).end();
      else answer(response, number, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as net.AddressInfo;
  return { port, received, url: `http://127.0.0.1:${port}` };
}

/** A port of this machine on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const MockSchema = Type.Object({ webhooks: Type.Array(WebhookSchema) }, { additionalProperties: false });

interface Compiled extends CompiledMock<Message> {
  readonly webhooks: readonly CompiledWebhook[];
}

interface BellShape {
  readonly config: typeof MockSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: Compiled;
  readonly message: Message;
}

/** A running host whose only kind has no wire. */
export interface Bell {
  readonly host: Host;
  /** Lets a message match the mock. */
  ring(
    body?: string,
    path?: string,
    remote?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void>;
  history(): readonly WebhookAttempt[];
  /** Resolves with the history once it holds so many attempts. */
  attempts(count: number): Promise<readonly WebhookAttempt[]>;
}

/** Starts a host with one mock that carries these webhooks. */
export async function startBell(
  webhooks: readonly ValueOf<typeof WebhookSchema>[],
  options: WebhookOptions = {},
): Promise<Bell> {
  let context: Context<BellShape> | undefined;
  const bell = defineProtocol({
    kind: 'bell',
    meta: {
      title: 'Bell',
      summary: 'Rings.',
      transport: 'stream',
      defaultPort: 1,
      url: 'bell://{host}:{port}',
    },
    config: Type.Object({}, { additionalProperties: false }),
    mocks: {
      noun: 'mock',
      configKey: 'mocks',
      mode: 'first',
      schema: MockSchema,
      examples: [{ webhooks: [] }],
      compile: (mock: ValueOf<typeof MockSchema>, tools): Compiled => ({
        webhooks: tools.webhooks(mock.webhooks, '/webhooks') ?? [],
      }),
    },
    create(given) {
      context = given as unknown as Context<BellShape>;
      return { start: async () => ({ host: '127.0.0.1', port: 1 }), stop: async () => undefined };
    },
  });
  const host = await createHost({
    protocols: [bell],
    settings: { bell: { mocks: [{ id: 'm', webhooks }] } },
    seed: 1,
    webhooks: createWebhooks(options),
  });
  cleanups.push(() => host.stop(0));
  await host.start();
  const history = (): readonly WebhookAttempt[] => host.webhooks?.history() ?? [];
  return {
    host,
    history,
    async ring(body = '{}', path = '/ring', remote = '127.0.0.1:1', headers) {
      const exchange = context?.receive({ method: 'RING', path, remote, body, headers });
      await exchange?.resolve();
      exchange?.done();
    },
    async attempts(count) {
      await eventually(() => history().length >= count);
      return history();
    },
  };
}

/** Resolves once the condition holds; asks again after each turn of the event loop. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
