import { defineProtocol, invalid } from '@backlot/core/plugin';
import { DEFAULT_HTTP_FAULT, headerProblems } from '@backlot/kit/http';
import { EXAMPLES } from './examples.js';
import { explainMessage } from './explain.js';
import { HttpIndex } from './mock-index.js';
import { compileMock } from './matcher.js';
import { applyPatch } from './patch.js';
import { ConfigSchema, FaultSchema, MockSchema, PatchSchema, StreamDataSchema } from './schemas.js';

/** HTTP/1.1 and HTTP/2 servers whose answers are mocks. */
export const http = defineProtocol({
  kind: 'http',
  meta: {
    title: 'HTTP',
    summary: 'HTTP/1.1 and HTTP/2 in the clear and over TLS, with sequences, streams and webhooks.',
    transport: 'stream',
    defaultPort: 8080,
    url: 'http://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    examples: EXAMPLES,
    compile: compileMock,
    index: () => new HttpIndex(),
    patchTargets: {
      status: ['/response/status', '/sequence/*/status'],
      headers: ['/response/headers', '/sequence/*/headers'],
      body: ['/response/body', '/sequence/*/body'],
    },
    patch: { schema: PatchSchema, apply: applyPatch },
    explain: explainMessage,
  },
  fault: {
    schema: FaultSchema,
    default: DEFAULT_HTTP_FAULT,
    check({ headers }) {
      const [problem, ...others] = headerProblems(headers);
      if (problem !== undefined) {
        throw invalid(
          problem,
          [problem, ...others].map((message) => ({ path: '/headers', message })),
        );
      }
    },
  },
  streams: { data: StreamDataSchema },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createHttpService } = await import('./server.js');
    return createHttpService(context);
  },
});
