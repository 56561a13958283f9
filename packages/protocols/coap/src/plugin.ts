import { checkAt, defineProtocol, readWords } from '@backlot/core/plugin';
import { COMMAND } from './command-line.js';
import { EMISSION } from './emission.js';
import { explainEntry } from './explain.js';
import { compileMock } from './matcher.js';
import { CoapIndex } from './mock-index.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { METHODS, parseResponseCode } from './wire/codes.js';

/** CoAP over UDP. */
export const coap = defineProtocol({
  kind: 'coap',
  meta: {
    title: 'CoAP',
    summary: 'A CoAP server over UDP, with block-wise transfers, observation and discovery.',
    transport: 'datagram',
    defaultPort: 5683,
    url: 'coap://{host}:{port}',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: { fields: ['method', 'path', 'path_regex', 'query', 'payload'] },
    examples: [
      { id: 'temperature', method: 'GET', path: '/sensors/temperature', response: { payload: '22.5 C' } },
      {
        id: 'lamp',
        method: 'PUT',
        path: '/lamps/{id}',
        payload: { any_of: ['on', 'off'] },
        response: { code: '2.04' },
      },
      {
        id: 'device',
        method: 'GET',
        path: '/devices/{id}',
        query: { detail: 'full' },
        response: { payload: '{"id": "{{request.params.id}}"}', content_format: 'application/json' },
      },
      { id: 'gone', path_regex: '^/old/', response: { code: '4.04', payload: 'moved to /new' } },
    ],
    compile: compileMock,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new CoapIndex(),
    patchTargets: { status: ['/response/code'], body: ['/response/payload'] },
    explain: explainEntry,
    explained: {
      fields: { payload: '/body' },
      line: { example: 'GET /lamps/1', read: readWords(['method', 'path', 'body'], METHODS) },
    },
  },
  fault: {
    schema: FaultSchema,
    default: { code: '5.00' },
    check({ code }) {
      if (code !== undefined) checkAt('/code', () => parseResponseCode(code));
    },
  },
  emits: EMISSION,
  command: COMMAND,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createCoapService } = await import('./server.js');
    return createCoapService(context);
  },
});
