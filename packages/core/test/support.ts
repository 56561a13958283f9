import { afterEach } from '@jest/globals';
import { Type, type TObject } from '@sinclair/typebox';
import {
  defineProtocol,
  type CompiledMock,
  type CompileTools,
  type Context,
  type Message,
  type Service,
  type Template,
} from '../src/plugin.js';
import { createHost, type Host, type HostOptions, type Protocol } from '../src/index.js';
import type { Faults, SnapshotPart } from '../src/contract/context.js';
import type { Exchange } from '../src/contract/outcome.js';
import type { Pattern } from '../src/patterns/pattern.js';

const schema = Type.Object(
  {
    match: Type.Optional(Type.String()),
    answer: Type.Optional(Type.String()),
    code: Type.Optional(Type.Integer()),
  },
  { additionalProperties: false },
);

/** A plugin without a wire: tests speak to its context. */
export interface Probe {
  readonly protocol: Protocol;
  context(): {
    receive(message: Message): Exchange;
    readonly mocks: {
      values(): readonly { readonly id: string }[];
      onChange(callback: (change: unknown) => void): () => void;
    };
    readonly captures: { add(value: unknown, bytes: number, exchange: Exchange): void };
    readonly streams: { open(mockId: string, control: unknown): { readonly id: string; closed(): void } };
    addToSnapshots(name: string, part: SnapshotPart<unknown>): void;
    readonly faults: Faults;
  };
}

interface Compiled extends CompiledMock<Message> {
  readonly answer: Template;
  readonly pattern: Pattern;
}

/** Makes the test plugin. */
export function probe(
  kind = 'probe',
  options: { mode?: 'first' | 'all' | 'items'; more?: object; onCreate?: (context: unknown) => void } = {},
): Probe {
  let made: unknown;
  const protocol = defineProtocol({
    kind,
    meta: {
      title: 'Probe',
      summary: 'A test plugin.',
      transport: 'stream',
      defaultPort: 1,
      url: 'probe://{host}:{port}',
    },
    config: Type.Object(
      { size: Type.Optional(Type.Integer({ default: 5 })) },
      { additionalProperties: false },
    ),
    mocks: {
      noun: 'mock',
      configKey: 'mocks',
      mode: options.mode ?? 'first',
      schema: schema as typeof schema & TObject,
      examples: [{ match: 'a' }],
      compile(mock: { match?: string; answer?: string }, tools: CompileTools): Compiled {
        const pattern = tools.pattern(mock.match, '/match');
        return {
          key: pattern.exact ?? '*',
          pattern,
          answer: tools.template(mock.answer ?? '', '/answer'),
          test: (message: Message) =>
            pattern.test(message.path) || (() => pattern.reason('path', message.path)),
        };
      },
      keys: (message: Message) => [message.path, '*'],
      patchTargets: { status: ['/code'], body: ['/answer', '/answers/*'] },
      patch: { schema, apply: (mock: object, patch: object) => ({ ...mock, ...patch }) },
    },
    fault: {
      schema: Type.Object({ text: Type.Optional(Type.String()) }, { additionalProperties: false }),
      default: { text: 'broken' },
    },
    capture: { schema: Type.Object({ id: Type.String() }), limit: 3 },
    streams: { data: Type.String() },
    create(context: Context<never>): Service {
      made = context;
      options.onCreate?.(context);
      return { start: () => Promise.resolve({ host: '127.0.0.1', port: 1 }), stop: () => Promise.resolve() };
    },
    ...options.more,
  } as never);
  return { protocol, context: () => made as ReturnType<Probe['context']> };
}

/** A message for the test plugin. */
export function message(path: string, more: Partial<Message> = {}): Message {
  return { method: 'ASK', path, remote: '127.0.0.1:1', ...more };
}

/** Starts a host with one test plugin. */
export async function startProbe(
  settings: Record<string, unknown> = {},
  options: Partial<HostOptions> = {},
  made: Probe = probe(),
): Promise<{ host: Host; probe: Probe; ask(path: string, more?: Partial<Message>): Promise<string> }> {
  const host = await createHost({
    seed: 1,
    ...options,
    protocols: [made.protocol],
    settings: { [made.protocol.kind]: settings },
  });
  await host.start();
  return {
    host,
    probe: made,
    async ask(path, more) {
      const exchange = made.context().receive(message(path, more));
      const outcome = await exchange.resolve();
      let answer: string = outcome.type;
      if (outcome.type === 'matched') answer = outcome.render((outcome.mock.compiled as Compiled).answer);
      if (outcome.type === 'fault') answer = `fault ${String(outcome.fault['text'])}`;
      exchange.done({ status: outcome.type, body: answer });
      return answer;
    },
  };
}

/**
 * As {@link startProbe}, for the tests of one file: their hosts are stopped after each of them.
 *
 * @returns what starts one
 */
export function startsProbes(): typeof startProbe {
  const hosts: Host[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.stop(0);
  });
  return async (...args) => {
    const started = await startProbe(...args);
    hosts.push(started.host);
    return started;
  };
}
