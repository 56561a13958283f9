import {
  closedObject,
  givenBytesFields,
  shownBytesFields,
  Type,
  type DataDeclaration,
  type PublishDeclaration,
} from '@backlot/core/plugin';

const QOS = Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2)], {
  default: 0,
  description: 'The quality of service: 0, 1 or 2.',
});
const TOPIC = Type.String({ minLength: 1, description: 'The topic.' });

/** The retained messages, as the management API shows and takes them. */
export const RETAINED: DataDeclaration = {
  noun: 'retained message',
  summary: 'The retained messages by topic; putting one sends it to subscribers too.',
  schema: Type.Object({
    topic: TOPIC,
    ...shownBytesFields('payload'),
    qos: QOS,
    size: Type.Integer({ description: 'Bytes of the payload.' }),
    expires_at: Type.Optional(Type.String({ description: 'When it goes away; absent: never.' })),
  }),
  idField: 'topic',
  put: {
    schema: closedObject({ topic: TOPIC, ...givenBytesFields('payload'), qos: Type.Optional(QOS) }),
    examples: [{ topic: 'lamps/7/state', payload: 'on' }],
  },
  remove: true,
  view: { as: 'tree', separator: '/', value: 'payload' },
};

/** The sessions of clients, as the management API shows them. */
export const SESSIONS: DataDeclaration = {
  noun: 'session',
  summary: 'The sessions that outlive their connection.',
  schema: Type.Object({
    client_id: Type.String({ description: 'The client.' }),
    connected: Type.Boolean({ description: 'Whether the client is connected.' }),
    subscriptions: Type.Array(Type.String(), { description: 'Its filters; the first 1000.' }),
    messages: Type.Integer({ description: 'How many messages wait for it, or for its acknowledgement.' }),
  }),
  depth: 'messages',
  idField: 'client_id',
  remove: true,
};

/** Messages to topics. */
export const PUBLISH: PublishDeclaration = {
  summary: 'Publishes a message in a topic, as PUBLISH does.',
  schema: closedObject({
    topic: TOPIC,
    ...givenBytesFields('payload'),
    qos: Type.Optional(QOS),
    retain: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether later subscribers get it too.' }),
    ),
    content_type: Type.Optional(Type.String({ description: 'MQTT 5: its content type.' })),
    response_topic: Type.Optional(
      Type.String({ minLength: 1, description: 'MQTT 5: the topic of answers to it.' }),
    ),
    correlation_data: Type.Optional(Type.String({ description: 'MQTT 5: its correlation data.' })),
    user_properties: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'MQTT 5: its user properties; a list gives a name more than once.',
      }),
    ),
  }),
  examples: [{ topic: 'sensors/7', json: { celsius: 21.5 }, qos: 1, user_properties: { source: 'test' } }],
  headersAt: ['user_properties'],
  result: Type.Object({ status: Type.Literal('published') }),
};
