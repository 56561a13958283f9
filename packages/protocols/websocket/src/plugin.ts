import { checkAt, defineProtocol, invalid, readWords } from '@backlot/core/plugin';
import { bodyProblems, HTTP_REQUESTS } from '@backlot/kit/http';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { explainMessage } from './explain.js';
import { compileMock } from './matcher.js';
import { applyPatch } from './patch.js';
import { MATCH_FIELDS, wholeMock } from './fault-match.js';
import { ConfigSchema, FaultSchema, MockSchema, PatchSchema, StreamDataSchema } from './schemas.js';
import { WebsocketIndex } from './mock-index.js';
import { checkCloseCode, checkReason, INTERNAL_ERROR } from './wire/close-code.js';

/** What a message may be explained with beyond what the journal shows: the subprotocol, the close code, and the terms of dialects. */
const EXPLAINED = [
  'subprotocol',
  'code',
  'dialect',
  'namespace',
  'auth',
  'topic',
  'event',
  'target',
  'args',
  'payload',
];

/** WebSocket servers whose messages are mocks. */
export const websocket = defineProtocol({
  kind: 'websocket',
  meta: {
    title: 'WebSocket',
    summary: 'A WebSocket server: clients are greeted, and their messages, text or binary, are answered.',
    transport: 'stream',
    defaultPort: 8081,
    url: 'ws://{host}:{port}',
    tls: true,
    takes: HTTP_REQUESTS,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['path', 'host', 'subprotocol', 'dialect', 'namespace', 'topic', 'on_message'],
      schema: MATCH_FIELDS,
      whole: wholeMock,
    },
    examples: [
      {
        id: 'chat',
        path: '/chat/{room}',
        on_connect: { send: 'welcome to {{request.params.room}}' },
        on_message: [
          { match: 'ping', respond: 'pong' },
          { match: 'quit', respond: 'bye', close: true },
          { respond: 'you said {{request.body}}' },
        ],
      },
      {
        id: 'echo',
        path: '/echo',
        on_message: [{ respond: '{{request.raw_body}}' }],
      },
      {
        id: 'lobby',
        dialect: 'socket.io',
        on_connect: { send: [{ event: 'welcome', args: ['{{request.auth.user}}'] }] },
        on_message: [
          { event: 'say', args: ['*'], ack: ['ok'], send: [{ event: 'said', args: ['{{request.args.0}}'] }] },
        ],
      },
      {
        id: 'binary',
        path: '/binary',
        subprotocol: 'v1.binary',
        on_message: [
          { match_binary: 'AAEC', respond_binary: '/wD/', delay: '20ms' },
          { match: 're:^stop', close: { code: 4000, reason: 'stopped' } },
        ],
      },
    ],
    compile: compileMock,
    answer: {
      fields: ['on_message', 'on_connect'],
      direct: 'on_message',
      fed: ({ on_connect: greeting = {}, ...rest }) => ({ ...rest, on_connect: greeting }),
    },
    index: () => new WebsocketIndex(),
    patchTargets: { body: ['/on_message/*/respond'] },
    patch: { schema: PatchSchema, apply: applyPatch },
    explain: explainMessage,
    explained: {
      fields: {
        ...Object.fromEntries(EXPLAINED.map((name) => [name, `/${name}`])),
        host: '/headers/host',
      },
      draft: { path: '/path' },
      line: {
        example: '/chat hello',
        read: readWords(['method', 'path', 'body'], ['CONNECT', 'MESSAGE', 'CLOSE']),
      },
    },
  },
  fault: {
    schema: FaultSchema,
    default: { close_code: INTERNAL_ERROR },
    check({ close_code: code, message, ...fault }) {
      if (code !== undefined) checkAt('/close_code', () => checkCloseCode(code));
      if (message !== undefined) checkAt('/message', () => checkReason(message));
      for (const { path, message: problem } of bodyProblems(fault))
        throw invalid(problem, [{ path, message: problem }]);
    },
  },
  streams: { data: StreamDataSchema, areConnections: true },
  command: COMMAND,
  recording: {
    modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'],
    hasPath: true,
    openWith: 'share',
  },
  contracts: CONTRACTS,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createWebsocketService } = await import('./server.js');
    const { upstream } = context;
    if (upstream === undefined) return createWebsocketService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createWebsocketService(context, new Relay(context, upstream));
  },
});
