import { checkAt, defineProtocol, parseDuration } from '@backlot/core/plugin';
import { COMMAND } from './command-line.js';
import { EMISSION } from './emission.js';
import { checkFraming } from './check-framing.js';
import { ByteIndex } from './mock-index.js';
import { compileTcp } from './matcher.js';
import { faultPayload } from './payload.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { explainEntry } from './message.js';

/** Raw TCP. */
export const tcp = defineProtocol({
  kind: 'tcp',
  meta: {
    title: 'TCP',
    summary: 'Raw TCP: what a client sends is matched as text or bytes, and text or bytes are sent back.',
    transport: 'stream',
    defaultPort: 8083,
    url: 'tcp://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: { fields: ['match', 'body_json', 'connection_state'] },
    examples: [
      { id: 'ping', match: 'PING\r\n', response: 'PONG\r\n' },
      { id: 'login', match: 'LOGIN *', response: 'OK {{request.body}}' },
      { id: 'binary', match: 'hex:0001', response: 'hex:8001ff' },
      { id: 'quit', match: 're:^(quit|exit)', response: 'bye\n', close: true },
    ],
    compile: compileTcp,
    answer: { fields: ['response', 'json', 'response_base64', 'close'], direct: 'response' },
    index: () => new ByteIndex(),
    patchTargets: { body: ['/response'] },
    explain: explainEntry,
    explained: {
      fields: { match: '/body', body_json: '/body', connection_state: '/query' },
      line: { example: 'PING', read: (body) => ({ body }) },
    },
  },
  fault: {
    schema: FaultSchema,
    default: {},
    check: (fault) => void faultPayload(fault),
  },
  checkConfig(config) {
    checkFraming(config);
    const { idle_timeout: idleTimeout } = config;
    if (idleTimeout !== undefined) checkAt('/idle_timeout', () => parseDuration(idleTimeout));
  },
  emits: EMISSION,
  command: COMMAND,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createTcpService } = await import('./server.js');
    return createTcpService(context);
  },
});
