import { defineProtocol, invalid } from '@backlot/core/plugin';
import { DEFAULT_HTTP_FAULT, headerProblems } from '@backlot/kit/http';
import { EXAMPLES } from './examples.js';
import { explainMessage } from './explain.js';
import { OperationIndex } from './mock-index.js';
import { compileMock } from './matcher.js';
import { ConfigSchema, FaultSchema, MockSchema, StreamDataSchema } from './schemas.js';
import { readSettings } from './settings.js';

/** GraphQL over HTTP, and over WebSocket with the subprotocol graphql-transport-ws. */
export const graphql = defineProtocol({
  kind: 'graphql',
  meta: {
    title: 'GraphQL',
    summary: 'Queries and mutations over HTTP, and subscriptions over WebSocket on the same path.',
    transport: 'stream',
    defaultPort: 8082,
    url: 'http://{host}:{port}/graphql',
    tls: true,
  },
  config: ConfigSchema,
  checkConfig: (config) => void readSettings(config),
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    examples: EXAMPLES,
    compile: compileMock,
    index: () => new OperationIndex(),
    patchTargets: { body: ['/response'] },
    explain: explainMessage,
  },
  fault: {
    schema: FaultSchema,
    default: DEFAULT_HTTP_FAULT,
    check({ headers }) {
      const [problem, ...others] = headerProblems(headers);
      if (problem === undefined) return;
      throw invalid(
        problem,
        [problem, ...others].map((message) => ({ path: '/headers', message })),
      );
    },
  },
  streams: { data: StreamDataSchema },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createGraphqlService } = await import('./server.js');
    return createGraphqlService(context);
  },
});
