import { checkAt, defineProtocol, invalid, parseDuration, readWords } from '@backlot/core/plugin';
import { COMMAND } from './command-line.js';
import { explainEntry } from './explain.js';
import { compileMock } from './matcher.js';
import { SipIndex } from './mock-index.js';
import { checkReason } from './response-template.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** SIP over UDP and TCP. */
export const sip = defineProtocol({
  kind: 'sip',
  meta: {
    title: 'SIP',
    summary: 'A SIP user agent and registrar over UDP and TCP that answers calls and other requests.',
    transport: 'both',
    defaultPort: 5060,
    url: 'sip://{host}:{port}',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: { fields: ['method', 'uri', 'uri_regex', 'headers', 'body'] },
    examples: [
      {
        id: 'answer',
        method: 'INVITE',
        uri: 'sip:alice@*',
        provisional: [180],
        response: {
          body: 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 6000 RTP/AVP 0\r\n',
        },
      },
      { id: 'busy', method: 'INVITE', uri: 'sip:bob@*', response: { status: 486 } },
      {
        id: 'moved',
        method: 'INVITE',
        uri_regex: '^sip:old-.*@',
        response: { status: 302, headers: { Contact: '<sip:{{request.uri.user}}@new.example.com>' } },
      },
      { id: 'text', method: 'MESSAGE', response: { status: 202 } },
    ],
    compile: compileMock,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new SipIndex(),
    patchTargets: { status: ['/response/status'], headers: ['/response/headers'], body: ['/response/body'] },
    explain: explainEntry,
    explained: {
      fields: { uri: '/path' },
      line: { example: 'INVITE sip:bob@example.com', read: readWords(['method', 'path']) },
    },
  },
  fault: {
    schema: FaultSchema,
    default: { status: 503 },
    check({ reason }) {
      if (reason !== undefined) checkReason(reason, '/reason', { problem: refuseFault });
    },
  },
  checkConfig({ idle_timeout: idleTimeout }) {
    if (idleTimeout !== undefined) checkAt('/idle_timeout', () => parseDuration(idleTimeout));
  },
  command: COMMAND,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createSipService } = await import('./server.js');
    return createSipService(context);
  },
});

function refuseFault(path: string, message: string): never {
  throw invalid(message, [{ path, message }]);
}
