import { createServer, type AddressInfo, type Socket } from 'node:net';
import {
  BacklotError,
  Type,
  defineIncident,
  defineProtocol,
  invalid,
  mapSection,
  type CompiledMock,
  type Context,
  type Json,
  type Message,
  type Route,
  type Service,
  type Template,
} from '@backlot/core/plugin';

const closed = { additionalProperties: false };

const ConfigSchema = Type.Object({}, closed);
const MockSchema = Type.Object(
  {
    match: Type.Optional(Type.String({ description: 'The text after the verb.' })),
    answer: Type.Optional(Type.String({ description: 'The line that is answered; a template.' })),
    stream: Type.Optional(Type.Boolean({ description: 'Keeps the answer open.' })),
  },
  closed,
);
const FaultSchema = Type.Object(
  { text: Type.Optional(Type.String({ description: 'The line that is answered.' })) },
  closed,
);
const CaptureSchema = Type.Object(
  { id: Type.String({ description: 'Its id.' }), text: Type.String({ description: 'The line.' }) },
  closed,
);
const StreamData = Type.String({ description: 'One line.' });
const NoteSchema = Type.Object({ id: Type.String({ minLength: 1 }), text: Type.String() }, closed);
const TargetSchema = Type.Object({ to: Type.String({ minLength: 1, description: 'Where to.' }) }, closed);

interface EchoMock extends CompiledMock<Message> {
  readonly answer: Template;
  readonly isStream: boolean;
}

interface EchoShape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: EchoMock;
  readonly message: Message;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof CaptureSchema;
  readonly stream: typeof StreamData;
}

export interface EchoService extends Service {
  readonly sent: string[];
}

const sendRoute: Route<EchoService> = {
  method: 'POST',
  path: '/api/echo/targets/{id}/send',
  name: 'sendToEchoTarget',
  tag: 'Echo targets',
  summary: 'Sends to a target.',
  query: { times: Type.Integer({ minimum: 1, description: 'How often.' }) },
  body: Type.Object({ text: Type.String({ description: 'What to send.' }) }, closed),
  bodyOptional: true,
  responses: {
    200: { description: 'Sent.', schema: Type.Object({ status: Type.String(), sent: Type.String() }) },
  },
  handle({ params, query, body }, service) {
    if (params['id'] === 'broken') throw new TypeError('wire fell off');
    if (params['id'] === 'unreachable')
      throw new BacklotError('send_failed', 'target "unreachable" cannot be reached');
    const { text = 'hello' } = (body ?? {}) as { text?: string };
    for (let index = 0; index < Number(query['times'] ?? 1); index += 1) service.sent.push(text);
    return { body: { status: 'sent', sent: params['id'] } };
  },
};

/** A protocol of lines: `VERB text`, with every capability there is. */
export const echo = defineProtocol({
  kind: 'echo',
  meta: {
    title: 'Echo',
    summary: 'Answers lines.',
    transport: 'stream',
    defaultPort: 7,
    url: 'echo://{host}:{port}',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    examples: [{ match: 'hello', answer: 'world' }],
    compile(mock, tools): EchoMock {
      const pattern = tools.pattern(mock.match, '/match');
      return {
        key: pattern.exact ?? '*',
        answer: tools.template(mock.answer ?? '', '/answer'),
        isStream: mock.stream === true,
        test: (message: Message) =>
          pattern.test(message.path) || (() => pattern.reason('text', message.path)),
      };
    },
    keys: (message: Message) => [message.path, '*'],
    patchTargets: { body: ['/answer'] },
    patch: {
      schema: Type.Object(
        { answer: Type.Optional(Type.String({ description: 'In place of the answer.' })) },
        closed,
      ),
      apply: (mock, patch) => ({ ...mock, ...patch }),
    },
  },
  incidents: {
    outage: defineIncident({
      summary: 'It answers with an error, and then says that it is back.',
      advice: 'It tries again later.',
      lasts: '1m',
      fields: Type.Object(
        {
          down: Type.Optional(Type.String({ description: 'How long it answers with errors.' })),
          text: Type.Optional(Type.String({ description: 'What it answers.' })),
        },
        closed,
      ),
      repeats: true,
      stages: ({ down = '10s', text = 'out' }) => [
        { lasts: down, fault: { text }, close: 'end' },
        { lasts: '5s', fault: { text: 'nearly' } },
      ],
    }),
  },
  fault: { schema: FaultSchema, default: { text: 'fault' } },
  capture: {
    schema: CaptureSchema,
    path: '/api/echoes',
    view: { as: 'list', html: 'text' },
    // The line names the attachment: `KEEP <name>|<type>`.
    attachment({ text }, index) {
      const [filename = '', contentType = ''] = text.slice('KEEP '.length).split('|');
      return index === 0 ? { filename, contentType, content: Buffer.from([0, 255, 10]) } : undefined;
    },
  },
  streams: { data: StreamData },
  itemLists: {
    targets: {
      noun: 'target',
      summary: 'Where echoes go.',
      schema: TargetSchema,
      path: '/api/echo/targets',
      routes: { replace: true, delete: true },
      configKey: 'targets',
    },
  },
  data: {
    notes: {
      noun: 'note',
      summary: 'The notes.',
      schema: NoteSchema,
      put: { schema: NoteSchema, examples: [{ id: 'a', text: 'first' }] },
      remove: true,
    },
    lines: { noun: 'line', summary: 'Lines that were published.', schema: NoteSchema },
  },
  publish: {
    summary: 'Keeps a line.',
    schema: Type.Object({ text: Type.String({ minLength: 1 }) }, closed),
    examples: [{ text: 'hello' }],
    result: Type.Object({ count: Type.Integer() }),
  },
  routes: [sendRoute],
  create: createEcho,
});

function createEcho(context: Context<EchoShape>): EchoService {
  const sockets = new Set<Socket>();
  const sent: string[] = [];
  let captured = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) void answer(socket, line);
    });
  });

  async function answer(socket: Socket, line: string): Promise<void> {
    const [method = '', ...words] = line.split(' ');
    const exchange = context.receive({
      method,
      path: words.join(' '),
      remote: `${socket.remoteAddress}:${socket.remotePort}`,
    });
    const outcome = await exchange.resolve();
    if (method === 'KEEP')
      context.captures.add({ id: String(++captured), text: line }, line.length, exchange);
    if (outcome.type === 'fault') {
      socket.write(`${outcome.fault.text ?? ''}\n`);
      exchange.done({ status: 'fault' });
    } else if (outcome.type === 'matched' && outcome.mock.compiled.isStream) {
      exchange.started({ status: 'open' });
      const stream = context.streams.open(outcome.mock.id, {
        push: (data) => void socket.write(`${data}\n`),
        close(error) {
          socket.write(`END ${error ?? ''}\n`);
          stream.closed();
          exchange.done({ status: 'closed' });
        },
      });
      socket.on('close', () => {
        stream.closed();
        if (!exchange.ended) exchange.abort();
      });
      socket.write('OPEN\n');
    } else {
      const text = outcome.type === 'matched' ? outcome.render(outcome.mock.compiled.answer) : outcome.type;
      socket.write(`${text}\n`);
      exchange.done({ status: outcome.type === 'matched' ? 'ok' : 'none', body: text });
    }
  }

  const notes = new Map<string, Json>();
  const lines = new Map<string, Json>();
  return {
    sent,
    data: {
      notes: mapSection(
        () => notes,
        (note) => note,
        {
          put(note) {
            if (note['text'] === 'bad') throw invalid('no bad notes', [{ path: '/text', message: 'is bad' }]);
            notes.set(String(note['id']), note);
            return String(note['id']);
          },
          remove: (id) => void notes.delete(id),
        },
      ),
      lines: mapSection(
        () => lines,
        (line) => line,
      ),
    },
    publish({ text }) {
      lines.set(String(lines.size), { id: String(lines.size), text });
      return { count: lines.size };
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.on('error', reject);
        server.listen(context.config.port, '127.0.0.1', () => {
          resolve({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    status: () => ({ connections: sockets.size }),
  };
}
