import { Type, defineProtocol, type CompiledMock, type Message, type Protocol } from '@backlot/core/plugin';

const closed = { additionalProperties: false };

/** A protocol without a wire and without any capability beyond mocks. */
export const plain: Protocol = defineProtocol({
  kind: 'plain-text',
  meta: {
    title: 'Plain text',
    summary: 'Does nothing.',
    transport: 'datagram',
    defaultPort: 9,
    url: 'plain://{host}:{port}',
  },
  config: Type.Object({}, closed),
  mocks: {
    noun: 'rule',
    configKey: 'rules',
    mode: 'first',
    schema: Type.Object({ word: Type.Optional(Type.String({ description: 'A word.' })) }, closed),
    examples: [{ word: 'a' }],
    compile: (): CompiledMock<Message> => ({}),
  },
  create: () => ({
    start: () => Promise.resolve({ host: '127.0.0.1', port: 9 }),
    stop: () => Promise.resolve(),
  }),
});

/** As {@link plain}, with every other capability, under a name that no test enables. */
export const asleep: Protocol = {
  ...plain,
  kind: 'asleep',
  meta: { ...plain.meta, title: 'Asleep' },
  mocks: { ...plain.mocks, patch: { schema: Type.Object({}, closed), apply: (mock) => mock } },
  fault: { schema: Type.Object({}, closed), default: {} },
  capture: { schema: Type.Object({ id: Type.String({ description: 'Its id.' }) }, closed) },
  streams: { data: Type.String({ description: 'Text.' }) },
  itemLists: {
    things: {
      noun: 'thing',
      summary: 'Things.',
      schema: Type.Object({}, closed),
      path: '/api/asleep/things',
      routes: { delete: true, replace: true },
      configKey: 'things',
    },
  },
  routes: [
    {
      method: 'POST',
      path: '/api/asleep/wake',
      name: 'wake',
      tag: 'Asleep',
      summary: 'Never works.',
      responses: { 200: { description: 'Never.' } },
      handle: () => ({ body: {} }),
    },
  ],
};
