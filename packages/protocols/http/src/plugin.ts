import { defineProtocol, invalid, type DeclaredProtocol } from '@backlot/core/plugin';
import { checkHttpFault, DEFAULT_HTTP_FAULT, HTTP_REQUESTS } from '@backlot/kit/http';
import { INCIDENTS } from './incidents.js';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { EXAMPLES } from './examples.js';
import { explainMessage, readRequestLine } from './explain.js';
import { HttpIndex } from './mock-index.js';
import { compileMock } from './matcher.js';
import { applyPatch } from './patch.js';
import { expandResource, ResourceEntrySchema } from './resource.js';
import { ConfigSchema, MockSchema } from './schemas.js';
import { FaultSchema } from './schemas/fault.js';
import { PatchSchema } from './schemas/patch.js';
import { StreamDataSchema } from './schemas/response.js';

/** The fields of a mock that are its answer. */
type AnswerField = 'response' | 'sequence' | 'sequence_exhausted' | 'stream' | 'upstream';

type Declared = DeclaredProtocol<
  'http',
  typeof ConfigSchema,
  typeof MockSchema,
  typeof FaultSchema,
  never,
  typeof StreamDataSchema,
  never,
  'mocks',
  AnswerField,
  'response',
  typeof ResourceEntrySchema
>;

/** HTTP/1.1 and HTTP/2 servers whose answers are mocks. */
export const http: Declared = defineProtocol({
  kind: 'http',
  meta: {
    title: 'HTTP',
    summary: 'HTTP/1.1 and HTTP/2 in the clear and over TLS, with sequences, streams and webhooks.',
    transport: 'stream',
    defaultPort: 8080,
    furtherPorts: ['/mounts/*/port'],
    url: 'http://{host}:{port}',
    tls: true,
    gives: HTTP_REQUESTS,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: { fields: ['request'] },
    shorthand: { field: 'resource', schema: ResourceEntrySchema, expand: expandResource },
    examples: EXAMPLES,
    compile: compileMock,
    answer: {
      fields: ['response', 'sequence', 'sequence_exhausted', 'stream', 'upstream'],
      direct: 'response',
      fed: ({ stream, ...rest }) => ({ ...rest, stream: { ...(stream as object), keep_open: true } }),
    },
    index: () => new HttpIndex(),
    patchTargets: {
      status: ['/response/status', '/sequence/*/status'],
      headers: ['/response/headers', '/sequence/*/headers'],
      body: ['/response/body', '/sequence/*/body'],
    },
    patch: { schema: PatchSchema, apply: applyPatch },
    explain: explainMessage,
    explained: {
      fields: { request: '', body_json: '/body' },
      line: { example: 'GET /users/7', read: readRequestLine },
    },
  },
  fault: {
    schema: FaultSchema,
    default: DEFAULT_HTTP_FAULT,
    check: checkHttpFault,
  },
  streams: { data: StreamDataSchema },
  incidents: INCIDENTS,
  command: COMMAND,
  recording: {
    modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'],
    hasPath: true,
    openWith: 'proxy',
  },
  contracts: CONTRACTS,
  checkConfig(config) {
    const { contract } = config as { readonly contract?: { readonly mode?: string } };
    if (config.unmatched !== 'made' || (contract !== undefined && contract.mode !== 'off')) return;
    const message =
      'made answers need a contract that is read: give one, as in contract: { file: openapi.yaml }';
    throw invalid(message, [{ path: '/unmatched', message }]);
  },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createHttpService } = await import('./server.js');
    const { upstream, contract } = context;
    const { proxy } = context.config;
    const gate = contract && new (await import('./contract/gate.js')).ContractGate(context);
    if (upstream === undefined && proxy === undefined) return createHttpService(context, { gate });
    const { Relay } = await import('./upstream/relay.js');
    const relay = new Relay(context, upstream);
    if (proxy === undefined) return createHttpService(context, { relay, gate });
    const { Proxy } = await import('./proxy/proxy.js');
    const { openProxyWarning } = await import('./proxy/open-proxy.js');
    return createHttpService(context, {
      ...{ relay, gate, openProxyWarning },
      makeProxy: (take) => new Proxy(context, proxy, take),
    });
  },
});
