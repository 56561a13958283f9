import { defineProtocol } from '@backlot/core/plugin';
import { compileMock } from './matcher.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { create__Kind__Service } from './server.js';
import type { __Kind__Message } from './shape.js';

/** __Kind__: lines of text and their answers. */
export const __kind__ = defineProtocol({
  kind: '__kind__',
  meta: {
    title: '__Kind__',
    summary: 'Lines of text: each line that a client sends is matched, and a line is sent back.',
    transport: 'stream',
    defaultPort: 9999,
    url: '__kind__://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    examples: [
      { id: 'ping', match: 'PING', response: 'PONG' },
      { id: 'hello', match: 'HELLO *', response: 'Welcome, {{request.body}}' },
    ],
    compile: compileMock,
    keys: ({ body }: __Kind__Message) => [body, '*'],
    patchTargets: { body: ['/response'] },
  },
  fault: { schema: FaultSchema, default: { response: 'ERROR fault injected' } },
  create: (context) => create__Kind__Service(context),
});
