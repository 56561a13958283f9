import { defineProtocol } from '@backlot/core/plugin';
import { compileMock } from './matcher.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { createGopherService } from './server.js';

/** Gopher, as RFC 1436 has it. */
export const gopher = defineProtocol({
  kind: 'gopher',
  meta: {
    title: 'Gopher',
    summary: 'Gopher: a selector is matched, and a text or a menu is sent back.',
    transport: 'stream',
    defaultPort: 7070,
    url: 'gopher://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    examples: [
      {
        id: 'home',
        selector: { equals: '' },
        menu: [
          { title: 'Welcome' },
          { title: 'About us', selector: '/about' },
          { type: '7', title: 'Search', selector: '/search' },
        ],
      },
      { id: 'about', selector: '/about', text: 'A small company.' },
      { id: 'search', selector: '/search', text: 'You looked for {{query.search}}.' },
    ],
    compile: compileMock,
    keys: ({ path }) => [path, '*'],
    patchTargets: { body: ['/text'] },
  },
  fault: { schema: FaultSchema, default: { message: 'fault injected' } },
  create: (context) => createGopherService(context),
});
