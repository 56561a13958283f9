import { defineProtocol } from '@backlot/core/plugin';
import { checkHttpFault, DEFAULT_HTTP_FAULT, HTTP_REQUESTS } from '@backlot/kit/http';
import { COMMAND } from './command-line.js';
import { CONTRACTS } from './contract/declaration.js';
import { EXAMPLES } from './examples.js';
import { explainMessage } from './explain.js';
import { OperationIndex } from './mock-index.js';
import { compileMock } from './matcher.js';
import { ConfigSchema, FaultSchema, MockSchema, StreamDataSchema } from './schemas.js';
import { loadDocuments } from './document/load-documents.js';
import { loadSchema } from './schema/load-schema.js';
import { readSettings } from './settings.js';

/** GraphQL over HTTP, and over WebSocket with the subprotocol graphql-transport-ws. */
export const graphql = defineProtocol({
  kind: 'graphql',
  meta: {
    title: 'GraphQL',
    summary:
      'Queries and mutations over HTTP, and subscriptions over WebSocket or server-sent events on the same path.',
    transport: 'stream',
    defaultPort: 8082,
    url: 'http://{host}:{port}/graphql',
    urlPath: 'path',
    tls: true,
    takes: HTTP_REQUESTS,
  },
  config: ConfigSchema,
  checkConfig: (config, index) => {
    readSettings(config);
    index.loaded = loadSchema(config);
    index.documents = loadDocuments(config.persisted_documents);
  },
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['operation_type', 'operation_name', 'document', 'variables'],
      whole: (match) => ({ response: {}, ...match }),
    },
    examples: EXAMPLES,
    compile: compileMock,
    answer: { fields: ['response', 'errors', 'stream'] },
    index: () => new OperationIndex(),
    patchTargets: { body: ['/response'] },
    explain: explainMessage,
    explained: {
      fields: { operation_type: '/method', operation_name: '/path', variables: '/variables' },
      line: { example: '{ user(id: 7) { name } }', read: (body) => ({ body }) },
    },
  },
  fault: {
    schema: FaultSchema,
    default: DEFAULT_HTTP_FAULT,
    check: checkHttpFault,
  },
  streams: { data: StreamDataSchema },
  command: COMMAND,
  recording: {
    modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'],
    hasPath: true,
  },
  imports: {
    formats: { graphql: 'GraphQL SDL', introspection: 'GraphQL introspection' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  contracts: CONTRACTS,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createGraphqlService } = await import('./server.js');
    const { loaded } = context.mocks.index;
    // A kind that shares the listener of another one has no upstream of its own.
    const upstream = context.config.share === undefined ? context.upstream : undefined;
    const relay = upstream && new (await import('./upstream/relay.js')).Relay(context, upstream);
    if (loaded === undefined) return createGraphqlService(context, undefined, relay);
    const { SchemaEngine } = await import('./schema/engine.js');
    const engine = new SchemaEngine(loaded, (...parts) => context.random('schema', ...parts));
    return createGraphqlService(context, engine, relay);
  },
});
