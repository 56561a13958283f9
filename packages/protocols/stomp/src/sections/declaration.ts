import {
  closedObject,
  givenBytesFields,
  Type,
  type DataDeclaration,
  type PublishDeclaration,
} from '@backlot/core/plugin';

/** The queues, as the management API shows them. */
export const QUEUES: DataDeclaration = {
  noun: 'queue',
  summary: 'The queues that hold messages or have consumers.',
  schema: Type.Object({
    destination: Type.String({ description: 'Its destination: `/queue/orders`.' }),
    messages: Type.Integer({ description: 'How many messages wait.' }),
    unacknowledged: Type.Integer({ description: 'How many were sent and are not acknowledged.' }),
    consumers: Type.Integer({ description: 'How many are subscribed.' }),
  }),
  depth: 'messages',
  idField: 'destination',
};

/** Messages to destinations. */
export const PUBLISH: PublishDeclaration = {
  summary: 'Sends a message to a destination, as SEND does.',
  schema: closedObject({
    destination: Type.String({
      minLength: 1,
      description: 'The destination: `/queue/orders`, `/topic/news`.',
    }),
    ...givenBytesFields('body'),
    headers: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.String(), {
        description: 'Headers, such as `content-type`; those that the server sets are left out.',
      }),
    ),
  }),
  examples: [
    { destination: '/queue/orders', json: { id: 7 }, headers: { 'content-type': 'application/json' } },
  ],
  headersAt: ['headers'],
  result: Type.Object({ id: Type.String({ description: 'The `message-id` that receivers see.' }) }),
};
