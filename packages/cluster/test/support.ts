import { afterEach } from '@jest/globals';
import type { AddressInfo } from 'node:net';
import { createHost, type Host, type HostOptions, type SharedPorts, type Span } from '@backlot/core';
import {
  Type,
  defineProtocol,
  type CompileTools,
  type CompiledMock,
  type Message,
  type Template,
} from '@backlot/core/plugin';
import { commandRunner, createManagementServer } from '@backlot/management';
import { joinCluster, type Cluster, type ClusterOptions } from '../src/index.js';
import { startEngine, type Engine } from './engines.js';

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Calls back after the test, the last one first. */
export function afterThis(close: () => Promise<void> | void): void {
  closers.push(close);
}

/** What the test does with messages of the kind. */
interface WordContext {
  receive(message: Message): Exchange;
}

interface Exchange {
  resolve(): Outcome | Promise<Outcome>;
  done(reply: object): void;
}

interface Outcome {
  readonly type: string;
  readonly call?: number;
  readonly mock?: { readonly id: string; readonly compiled: { readonly answer: Template } };
  render?(template: Template): string;
}

/** A kind without a wire, whose mocks may answer with the letters of a word in turns. */
const wordOf = (started: (context: WordContext) => void): unknown =>
  defineProtocol({
    kind: 'word',
    meta: {
      title: 'Word',
      summary: 'A test plugin.',
      transport: 'stream',
      defaultPort: 1,
      url: 'word://{host}:{port}',
    },
    config: Type.Object({}, { additionalProperties: false }),
    mocks: {
      noun: 'mock',
      configKey: 'mocks',
      mode: 'first',
      schema: Type.Object(
        {
          word: Type.String(),
          letters: Type.Optional(Type.String()),
          answer: Type.Optional(Type.String()),
        },
        { additionalProperties: false },
      ),
      examples: [{ word: 'a' }],
      compile: (
        { word: wanted, letters, answer = '' }: { word: string; letters?: string; answer?: string },
        tools: CompileTools,
      ): CompiledMock<Message> & { readonly answer: Template } => ({
        key: wanted,
        answer: tools.template(answer, '/answer', { target: 'text' }),
        isOrdered: letters !== undefined,
        test: ({ path }) => path === wanted || 'another word',
      }),
      keys: ({ path }: Message) => [path, '*'],
    },
    fault: { schema: Type.Object({}, { additionalProperties: false }), default: {} },
    create: (context: WordContext) => {
      started(context);
      return { start: () => Promise.resolve(), stop: () => Promise.resolve() };
    },
  } as never);

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly revision: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** A replica in this process. */
export interface TestReplica {
  readonly host: Host;
  readonly cluster: Cluster;
  readonly warnings: readonly string[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Follows a stream of events. */
  follow(path: string): Promise<{ next(): Promise<unknown>; end(): void }>;
  /** Sends a message to it. @returns the number of the match, with the mock; what has become of it when none has matched */
  ask(path: string, space?: string): Promise<{ readonly call: number; readonly mock: string } | string>;
  /** As {@link ask}, with the text that the mock answers. */
  answer(path: string): Promise<string>;
  /** Where it listens as a kind that has data does, which answers who has answered and who has asked; 0 when the home is not leased. */
  readonly homePort: number;
  /** Writes a line into its log. */
  log(name: string): void;
  /** Leaves the cluster and stops. */
  stop(): Promise<void>;
  /** Ends its management API. */
  close(): Promise<void>;
}

/** Starts an engine, which ends after the test. */
export async function engineOf(program: string): Promise<Engine> {
  const engine = await startEngine(program);
  afterThis(() => engine.close());
  return engine;
}

/** Starts a replica; resolves when it has caught up. */
export async function startReplica(
  url: string,
  replica: string,
  more: Partial<ClusterOptions> & { readonly host?: Partial<HostOptions>; readonly token?: string } = {},
): Promise<TestReplica> {
  const warnings: string[] = [];
  const { host: options, token, ...given } = more;
  const cluster = await joinCluster({
    ...{ url, name: 'test', replica, version: '1', settings: {}, seed: 7 },
    warn: (text) => warnings.push(text),
    ...given,
  });
  let isStopped = false;
  const started: { host?: Host } = {};
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await cluster.replica.stop();
    await started.host?.stop(0);
  };
  afterThis(stop);
  const contexts: WordContext[] = [];
  const inSpaces = new Map<string, WordContext>();
  const host = await createHost({
    ...{
      protocols: [wordOf((context) => contexts.push(context)) as never],
      seed: cluster.seed,
      replica,
      sharedCounts: cluster.replica.counts,
      sharedChanges: cluster.replica.matches,
    },
    ...options,
  });
  started.host = host;
  await host.start();
  const management = {
    ...{ replication: cluster.replica, routes: cluster.routes },
    ...(token === undefined ? {} : { token }),
  };
  const server = createManagementServer(host, management);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  afterThis(close);
  const { port } = server.address() as AddressInfo;
  cluster.replica.url = `http://127.0.0.1:${port}`;
  const { ports } = cluster.replica;
  const homePort = ports === undefined ? 0 : await listenAtHome(ports, replica);
  await cluster.replica.follow({ host, run: commandRunner(host, management) });
  return {
    host,
    cluster,
    warnings,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
        method,
        headers: token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        revision: Number(response.headers.get('backlot-revision')),
        body: JSON.parse(text),
      };
    },
    async follow(path) {
      const controller = new AbortController();
      const events = eventsOf(
        await fetch(`http://127.0.0.1:${port}/api${path}`, { signal: controller.signal }),
      );
      return {
        next: async () => (await events.next()).value,
        end: () => controller.abort(),
      };
    },
    async ask(path, space) {
      if (space !== undefined && !inSpaces.has(space)) {
        await host.spaces.get(space).host.kind('word').wake();
        inSpaces.set(space, contexts.at(-1) as WordContext);
      }
      const context = space === undefined ? contexts[0] : inSpaces.get(space);
      const exchange = context?.receive({ method: 'ASK', path, remote: '127.0.0.1:1' });
      const { type, call, mock } = (await exchange?.resolve()) ?? { type: 'not started' };
      exchange?.done({ status: type });
      return type === 'matched' ? { call: call ?? 0, mock: mock?.id ?? '' } : type;
    },
    async answer(path) {
      const exchange = contexts[0]?.receive({ method: 'ASK', path, remote: '127.0.0.1:1' });
      const outcome = await exchange?.resolve();
      const { type, mock } = outcome ?? { type: 'not started' };
      const text = mock === undefined ? type : (outcome?.render?.(mock.compiled.answer) ?? type);
      exchange?.done({ status: type });
      return text;
    },
    homePort,
    log: (name) => host.addSpan(spanOf(name)),
    stop,
    close,
  };
}

async function listenAtHome(ports: SharedPorts, replica: string): Promise<number> {
  const asked = { name: 'word', address: '127.0.0.1', port: 0, share: 'home' } as const;
  const { port, close } = await ports.listen(asked, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(`${replica} ${socket.remoteAddress}:${socket.remotePort}`));
    socket.on('end', () => socket.end());
  });
  afterThis(close);
  return port;
}

/** Whatever is looked at until it is true; the test stands still and fails when it never is. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The data of the events of an answer. */
async function* eventsOf({ body }: Response): AsyncGenerator<unknown, undefined> {
  let text = '';
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString();
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
  return undefined;
}

/** A span, which every host takes into its log. */
function spanOf(name: string): Span {
  const end = `${Date.now()}000000`;
  return {
    ...{ trace: '0af7651916cd43dd8448eb211c80319c', id: 'b7ad6b7169203331', name, kind: 'internal' },
    ...{
      service: 'test',
      status: 'ok',
      start: end,
      end,
      attributes: {},
      resource: {},
      scope: { name: 'test' },
    },
  };
}
