import {
  closedObject,
  givenBytesFields,
  Type,
  type DataDeclaration,
  type PublishDeclaration,
} from '@backlot/core/plugin';
import { StreamSchema } from '../jetstream/schemas.js';

/** The streams of JetStream, as the management API shows and takes them. */
export const STREAMS: DataDeclaration = {
  noun: 'stream',
  summary: 'The streams of JetStream; there are none where `jetstream` is off.',
  schema: Type.Object({
    name: Type.String({ description: 'The name of the stream.' }),
    subjects: Type.Array(Type.String(), { description: 'The subjects it takes.' }),
    messages: Type.Integer({ description: 'How many messages it holds.' }),
    bytes: Type.Integer({ description: 'What they take.' }),
    first_seq: Type.Integer({ description: 'The sequence of its first message.' }),
    last_seq: Type.Integer({ description: 'The sequence of its last message.' }),
    consumers: Type.Integer({ description: 'How many consumers it has.' }),
    created: Type.String({ description: 'When it was made, RFC 3339.' }),
  }),
  depth: 'messages',
  idField: 'name',
  put: {
    schema: StreamSchema,
    examples: [{ name: 'ORDERS', subjects: ['orders.>'], max_msgs: 1000 }],
  },
  remove: true,
};

/** The consumers of JetStream, as the management API shows them. */
export const CONSUMERS: DataDeclaration = {
  noun: 'consumer',
  summary: 'The consumers of the streams of JetStream.',
  schema: Type.Object({
    id: Type.String({ description: 'The stream and the consumer: `ORDERS.billing`.' }),
    stream: Type.String({ description: 'The name of its stream.' }),
    name: Type.String({ description: 'Its own name.' }),
    pull: Type.Boolean({ description: 'Whether clients ask for its messages.' }),
    pending: Type.Integer({ description: 'How many messages it has still to deliver.' }),
    unacknowledged: Type.Integer({ description: 'How many it has delivered that are not acknowledged.' }),
    redelivered: Type.Integer({ description: 'How many of those were delivered more than once.' }),
    waiting: Type.Integer({ description: 'How many requests wait for messages.' }),
  }),
  remove: true,
};

/** Messages to subjects. */
export const PUBLISH: PublishDeclaration = {
  summary: 'Publishes a message to a subject; a stream that takes the subject stores it.',
  schema: closedObject({
    subject: Type.String({ minLength: 1, description: 'The subject, without wildcards.' }),
    ...givenBytesFields('payload'),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[!-9;-~]+$' }), Type.String(), {
        description: 'Headers by name.',
      }),
    ),
  }),
  examples: [{ subject: 'orders.created', json: { id: 7 }, headers: { source: 'test' } }],
  headersAt: ['headers'],
  result: Type.Object({
    delivered: Type.Boolean({ description: 'Whether somebody had subscribed to it.' }),
    stored: Type.Boolean({ description: 'Whether a stream has taken it.' }),
  }),
};
