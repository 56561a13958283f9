import net from 'node:net';
import { defineProtocol, Type, type Context, type Protocol, type ValueOf } from '@backlot/core/plugin';
import {
  abandon,
  type ListenAddress,
  type Probe,
  type ProbeClient,
  type StreamReader,
} from '../../src/index.js';
import type { Breakage } from './breakage.js';
import { createContracts } from './contract.js';
import { createLineExporter } from './exporter.js';
import { createLines } from './importer.js';
import { compileEcho, type EchoShape } from './matcher.js';
import { CaptureSchema, ConfigSchema, FaultSchema, MockSchema, StreamSchema } from './schemas.js';
import { EchoServer, type Leftovers } from './server.js';

/** A protocol of lines that has every capability; or a variant that does one thing wrong. */
export function createEcho(breakage?: Breakage): { readonly protocol: Protocol; clear(): Promise<void> } {
  const leftovers: Leftovers = { servers: new Set(), shared: undefined };
  const is = (one: Breakage): boolean => breakage === one;
  const protocol = defineProtocol({
    kind: 'echo',
    meta: {
      title: 'Echo',
      summary: 'Lines and their answers.',
      transport: 'stream',
      defaultPort: 7777,
      url: 'echo://{host}:{port}',
    },
    config: is('has a property without a description')
      ? (Type.Object(
          { greeting: Type.Optional(Type.String()) },
          { additionalProperties: false },
        ) as unknown as typeof ConfigSchema)
      : ConfigSchema,
    mocks: {
      noun: 'mock',
      configKey: 'mocks',
      mode: 'first',
      schema: MockSchema,
      examples: is('has an example that is not valid')
        ? [{ match: 're:(' }]
        : [{ match: 'hello', response: 'world' }],
      compile: (mock: ValueOf<typeof MockSchema>, tools) => compileEcho(mock, tools, !is('gives no reasons')),
      explain: (entry) => ({
        method: 'SAY',
        path: '',
        remote: '',
        body: is('explains with the wrong message') ? '' : String(entry['body']),
      }),
    },
    imports: {
      formats: { lines: 'Lines' },
      load: async () => [createLines(is('has an importer that takes any file for its own'))],
    },
    exports: { formats: { lines: 'Lines' }, load: async () => [createLineExporter(is)] },
    contracts: createContracts(is),
    incidents: {
      outage: {
        summary: 'It answers with a fault.',
        advice: 'It tries again.',
        lasts: '10s',
        stages: () => [
          {
            lasts: is('has an incident whose stage is no duration') ? 'soon' : '5s',
            fault: {},
            close: 'end',
          },
          {},
        ],
      },
    },
    fault: {
      schema: FaultSchema,
      default: is('has a default fault that is not valid')
        ? ({ text: 'fault', code: 1 } as never)
        : { text: is('has no answer for its fault') ? '' : 'fault' },
    },
    capture: { schema: CaptureSchema },
    streams: { data: StreamSchema },
    ...(is('says that it reads its upstream, and has none') && { recording: { modes: ['spy'] as const } }),
    create: (context) => new EchoServer(context as unknown as Context<EchoShape>, breakage, leftovers),
  });
  return {
    protocol,
    clear: async () => {
      await Promise.all(Array.from(leftovers.servers, (server) => server.stop(0)));
    },
  };
}

const LINES = [
  { match: 'a', response: '1' },
  { match: 'b', response: '2' },
];

/** The probe of the echo protocol. */
export function echoProbe(more: Partial<Probe> = {}): Probe {
  return {
    imports: [{ format: 'lines', name: 'x.txt', content: '#lines\na=1\nb=2\n' }],
    exports: [
      { format: 'lines', settings: { echo: { mocks: LINES } } },
      {
        format: 'lines',
        settings: { echo: { mocks: [...LINES, { match: 'open', response: 'opened', stream: true }] } },
        losses: ['no streams'],
      },
    ],
    contract: {
      name: 'lines.txt',
      content: 'simple=one\nhello=world',
      refused: 'refused',
      async sendLong(address) {
        const client = await LineClient.connect(address);
        await client.send(`simple ${'x'.repeat(200)}`);
        await client.close();
      },
    },
    mocks: {
      simple: { match: 'simple', response: 'one' },
      changed: { match: 'simple', response: 'two' },
      other: { match: 'other', response: 'three' },
      template: { match: 'simple', response: '{{upper request.path}}' },
      bad: [{ match: 're:(' }],
    },
    answers: {
      simple: 'one',
      changed: 'two',
      other: 'three',
      template: 'SIMPLE',
      unmatched: 'unmatched',
      fault: 'fault',
    },
    logged: { method: 'SAY', path: 'simple' },
    captured: 'simple',
    hasNoUpstream: true,
    stream: {
      mock: { match: 'open', response: 'opened', stream: true },
      async open(address) {
        const lines = await LineClient.connect(address);
        lines.write('open');
        await lines.next();
        return lines;
      },
      data: 'more',
      pushed: 'more',
      ended: 'end',
      failed: 'error boom',
    },
    connect: (address) => LineClient.connect(address),
    ...more,
  };
}

/** A client that writes a line and reads a line. */
export class LineClient implements ProbeClient, StreamReader {
  readonly #socket: net.Socket;
  readonly #lines: string[] = [];
  readonly #waiting: ((line: string) => void)[] = [];
  #rest = '';

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8').on('data', (text) => this.#read(String(text)));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#take('closed'));
  }

  static async connect(address: ListenAddress): Promise<LineClient> {
    const socket = net.connect({ ...address, noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new LineClient(socket);
  }

  write(line: string): void {
    this.#socket.write(`${line}\n`);
  }

  send(message: string): Promise<string> {
    this.write(message);
    return this.next();
  }

  next(): Promise<string> {
    const line = this.#lines.shift();
    return line === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(line);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) return resolve();
      this.#socket.once('close', () => resolve());
      abandon(this.#socket);
    });
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    const reader = this.#waiting.shift();
    if (reader === undefined) this.#lines.push(line);
    else reader(line);
  }
}
