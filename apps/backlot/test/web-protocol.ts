import { defineProtocol, PatternSchema, Type, type Message } from '@backlot/core/plugin';

const ResponseSchema = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.String()),
    image: Type.Optional(Type.String()),
    image_base64: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** A small protocol for tests of the configuration: it never listens. */
export const web = defineProtocol({
  kind: 'web',
  meta: {
    title: 'Web',
    summary: 'A protocol for tests.',
    transport: 'stream',
    defaultPort: 18080,
    url: 'web://{host}:{port}',
    tls: true,
  },
  config: Type.Object({ greeting: Type.Optional(Type.String()) }, { additionalProperties: false }),
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: Type.Object(
      {
        request: Type.Object(
          {
            method: Type.Optional(Type.String()),
            path: Type.String(),
            headers: Type.Optional(Type.Record(Type.String(), PatternSchema)),
            body: Type.Optional(PatternSchema),
          },
          { additionalProperties: false },
        ),
        response: Type.Optional(ResponseSchema),
        data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      },
      { additionalProperties: false },
    ),
    examples: [{ id: 'hello', request: { path: '/hello' }, response: { body: 'Hello' } }],
    compile(mock, tools) {
      const path = tools.pattern(mock.request.path, '/request/path');
      return { test: (message: Message) => path.test(message.path) || 'another path' };
    },
  },
  create: () => ({
    start: () => Promise.resolve({ host: 'localhost', port: 18080 }),
    stop: () => Promise.resolve(),
  }),
});
