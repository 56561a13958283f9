import {
  closedObject,
  givenBytesFields,
  Type,
  type DataDeclaration,
  type PublishDeclaration,
} from '@backlot/core/plugin';

/** How many partitions are shown of a topic, and offsets and members of a group. */
export const MAX_SHOWN = 1000;

const TOPIC = Type.String({ minLength: 1, description: 'The name of the topic.' });
const PARTITION = Type.Integer({ minimum: 0, maximum: 999, description: 'The number of the partition.' });
const OFFSET = Type.Integer({
  minimum: 0,
  description: 'The offset of the next record that the group reads.',
});

/** The topics, as the management API shows and takes them. */
export const TOPICS: DataDeclaration = {
  noun: 'topic',
  summary: 'The topics, with how many records they hold.',
  schema: Type.Object({
    name: TOPIC,
    records: Type.Integer({
      description: 'How many records its partitions hold, markers of transactions included.',
    }),
    bytes: Type.Integer({ description: 'What they take.' }),
    partitions: Type.Array(
      Type.Object({
        partition: PARTITION,
        first_offset: Type.Integer({ description: 'The first offset that can be read.' }),
        next_offset: Type.Integer({ description: 'The offset of the next record that comes.' }),
      }),
      { description: 'Its partitions.' },
    ),
    configs: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
      description: 'Settings that differ from the defaults.',
    }),
  }),
  idField: 'name',
  put: {
    schema: closedObject({
      name: TOPIC,
      partitions: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          description: 'How many partitions it has; a topic that is there can get more.',
        }),
      ),
    }),
    examples: [{ name: 'payments', partitions: 3 }],
  },
  remove: true,
};

/** The consumer groups, as the management API shows and takes them. */
export const GROUPS: DataDeclaration = {
  noun: 'group',
  summary: 'The consumer groups, with what they have committed and how far they are behind.',
  schema: Type.Object({
    group: Type.String({ description: 'The id of the group.' }),
    state: Type.String({ description: '`Empty`, `PreparingRebalance`, `CompletingRebalance` or `Stable`.' }),
    members: Type.Array(
      Type.Object({
        member: Type.String({ description: 'The id of the member.' }),
        client: Type.String({ description: 'What the client calls itself.' }),
        remote: Type.String({ description: 'The address of the client.' }),
      }),
      { description: `Its members; the first ${MAX_SHOWN}.` },
    ),
    lag: Type.Integer({
      description: 'How many records there are beyond what it has committed, of all those partitions.',
    }),
    offsets: Type.Array(
      Type.Object({ topic: TOPIC, partition: PARTITION, offset: OFFSET, lag: Type.Integer() }),
      { description: `What it has committed; the first ${MAX_SHOWN} partitions.` },
    ),
  }),
  idField: 'group',
  put: {
    schema: closedObject({
      group: Type.String({ minLength: 1, description: 'The id of the group.' }),
      offsets: Type.Array(
        closedObject({ topic: TOPIC, partition: Type.Optional(PARTITION), offset: OFFSET }),
        {
          description:
            'What it is to have committed; a group with members is refused. Other partitions stay as they are.',
        },
      ),
    }),
    examples: [{ group: 'billing', offsets: [] }],
  },
  remove: true,
};

/** Records into topics. */
export const PUBLISH: PublishDeclaration = {
  summary: 'Produces a record to a topic, which comes to be if need be.',
  schema: closedObject({
    topic: TOPIC,
    partition: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 999,
        description: 'The partition; by the key (murmur2) when absent, in turn without a key.',
      }),
    ),
    key: Type.Optional(Type.String({ description: 'The key; none when absent.' })),
    ...givenBytesFields('value'),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Headers by name.' })),
    schema: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The subject of the schema registry with whose latest schema the value, which is JSON, is encoded.',
      }),
    ),
  }),
  examples: [{ topic: 'orders', key: '7', json: { id: 7 }, headers: { source: 'test' } }],
  headersAt: ['headers'],
  result: Type.Object({ topic: Type.String(), partition: Type.Integer(), offset: Type.Integer() }),
};
