import { checkAt, defineProtocol, parseDuration, readWords } from '@backlot/core/plugin';
import { HTTP_REQUESTS } from '@backlot/kit/http';
import { INCIDENTS } from './incidents.js';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { loadConfig } from './config.js';
import { EXAMPLES } from './examples.js';
import { explainEntry } from './explain.js';
import { DEFAULT_FAULT } from './fault.js';
import { compileMock } from './matcher.js';
import { MethodIndex } from './mock-index.js';
import { applyPatch } from './patch.js';
import { PROTO_ROUTES } from './routes.js';
import {
  ANSWER_FIELDS,
  ConfigSchema,
  FaultSchema,
  MockSchema,
  PatchSchema,
  StreamDataSchema,
} from './schemas.js';
import { parseCode } from './wire/status.js';

/** gRPC. */
export const grpc = defineProtocol({
  kind: 'grpc',
  meta: {
    title: 'gRPC',
    summary:
      'gRPC with real protobuf: all four kinds of calls, schemas from files or uploads, reflection and health.',
    transport: 'stream',
    defaultPort: 50051,
    url: 'grpc://{host}:{port}',
    tls: true,
    takes: HTTP_REQUESTS,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    furtherLists: ['/services/*/mocks'],
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['method', 'host', 'match', 'headers', 'deadline', 'peer'],
      whole: (match) => ({ method: '*', ...match }),
    },
    examples: EXAMPLES,
    compile: compileMock,
    answer: {
      fields: ANSWER_FIELDS,
      fed: ({ stream = [], ...rest }) => ({ ...rest, stream, keep_open: true }),
    },
    index: () => new MethodIndex(),
    patchTargets: { status: ['/error/code'], headers: ['/metadata'], body: ['/response'] },
    patch: { schema: PatchSchema, apply: applyPatch },
    explain: explainEntry,
    explained: {
      fields: {
        ...{ match: '/body', metadata: '/headers', peer: '/remote', deadline: '/deadline' },
        host: '/headers/:authority',
      },
      draft: { method: '/path' },
      line: { example: '/acme.Users/Get {"id": "5"}', read: readWords(['path', 'body']) },
    },
  },
  fault: {
    schema: FaultSchema,
    default: DEFAULT_FAULT,
    check({ code, retry_delay: delay }) {
      if (code !== undefined) checkAt('/code', () => parseCode(code));
      if (delay !== undefined) checkAt('/retry_delay', () => void parseDuration(delay));
    },
  },
  streams: { data: StreamDataSchema },
  routes: PROTO_ROUTES,
  checkConfig: loadConfig,
  incidents: INCIDENTS,
  imports: {
    formats: {
      proto: 'Protocol Buffers (.proto)',
      descriptors: 'Protocol Buffers descriptor set or buf image',
    },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  command: COMMAND,
  recording: {
    modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'],
    openWith: 'share',
  },
  contracts: CONTRACTS,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createGrpcService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createGrpcService(context);
    const { Relays } = await import('./upstream/relays.js');
    return createGrpcService(context, new Relays(context, upstream));
  },
});
