import {
  closedObject,
  givenBytesFields,
  Type,
  type DataDeclaration,
  type PublishDeclaration,
} from '@backlot/core/plugin';
import { ExchangeSchema, PropertiesSchema, QueueSchema } from '../schemas.js';

/** How many bindings are shown of a queue or an exchange. */
export const MAX_BINDINGS_SHOWN = 100;

const NAME = Type.String({ minLength: 1, maxLength: 255, description: 'The name.' });
const ARGUMENTS = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The arguments it was declared with.',
});
const DURABLE = Type.Boolean({ description: 'Whether it was declared as durable.' });
const AUTO_DELETE = Type.Boolean({ description: 'Whether it goes when nobody uses it any more.' });

/** The queues, as the management API shows and takes them. */
export const QUEUES: DataDeclaration = {
  noun: 'queue',
  summary: 'The queues, with how many messages wait and how many are unacknowledged.',
  schema: Type.Object({
    name: NAME,
    type: Type.String({ description: 'What `x-queue-type` says, `classic` when it says nothing.' }),
    durable: DURABLE,
    auto_delete: AUTO_DELETE,
    exclusive: Type.Boolean({ description: 'Whether only the connection that declared it may use it.' }),
    arguments: ARGUMENTS,
    messages: Type.Integer({ description: 'How many messages wait.' }),
    unacknowledged: Type.Integer({ description: 'How many were delivered and are not acknowledged.' }),
    consumers: Type.Integer({ description: 'How many consume it.' }),
    bindings: Type.Array(
      Type.Object({ exchange: Type.String(), routing_key: Type.Optional(Type.String()) }),
      { description: `What leads to it; the first ${MAX_BINDINGS_SHOWN}.` },
    ),
  }),
  idField: 'name',
  depth: 'messages',
  put: {
    schema: closedObject({
      ...QueueSchema.properties,
      bindings: Type.Optional(
        Type.Array(
          closedObject({
            exchange: Type.String({
              minLength: 1,
              maxLength: 255,
              description: 'An exchange that there is.',
            }),
            routing_key: Type.Optional(
              Type.String({ maxLength: 255, default: '', description: 'The binding key.' }),
            ),
          }),
          { maxItems: 1000, description: 'Bindings to it that are made as well.' },
        ),
      ),
    }),
    examples: [
      { name: 'jobs', durable: true, arguments: { 'x-max-length': 1000 } },
      { name: 'mails', bindings: [{ exchange: 'amq.topic', routing_key: 'mail.#' }] },
    ],
  },
  remove: true,
};

/** The exchanges, as the management API shows and takes them. */
export const EXCHANGES: DataDeclaration = {
  noun: 'exchange',
  summary:
    'The exchanges, those of the broker itself among them; the default one has no name and is left out.',
  schema: Type.Object({
    name: NAME,
    type: Type.String({ description: '`direct`, `fanout`, `topic` or `headers`.' }),
    durable: DURABLE,
    auto_delete: AUTO_DELETE,
    internal: Type.Boolean({ description: 'Whether clients may not publish to it.' }),
    arguments: ARGUMENTS,
    bindings: Type.Array(
      Type.Object({
        queue: Type.Optional(Type.String()),
        to_exchange: Type.Optional(Type.String()),
        routing_key: Type.Optional(Type.String()),
      }),
      { description: `Where messages go from it; the first ${MAX_BINDINGS_SHOWN}.` },
    ),
  }),
  idField: 'name',
  put: { schema: ExchangeSchema, examples: [{ name: 'orders', type: 'topic' }] },
  remove: true,
};

/** Messages into exchanges and queues. */
export const PUBLISH: PublishDeclaration = {
  summary: 'Publishes a message, as basic.publish does.',
  schema: closedObject({
    exchange: Type.Optional(
      Type.String({ maxLength: 255, default: '', description: 'The exchange; the default one when absent.' }),
    ),
    routing_key: Type.Optional(
      Type.String({
        maxLength: 255,
        default: '',
        description: 'The routing key: with the default exchange, the name of a queue.',
      }),
    ),
    ...givenBytesFields('body'),
    properties: Type.Optional(PropertiesSchema),
  }),
  examples: [
    { exchange: 'amq.topic', routing_key: 'order.created', json: { id: 7 }, properties: { type: 'order' } },
  ],
  headersAt: ['properties', 'headers'],
  result: Type.Object({
    queues: Type.Array(Type.String(), { description: 'The queues that took it.' }),
  }),
};
