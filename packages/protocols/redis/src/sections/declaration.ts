import { closedObject, Type, type DataDeclaration, type PublishDeclaration } from '@backlot/core/plugin';

/** How many elements of a value are shown. */
export const MAX_SHOWN = 1000;

const shared = {
  database: Type.Integer({ description: 'The number of the database.' }),
  key: Type.String({ description: 'The name of the key.' }),
};

/** The keys, as the management API shows and takes them. */
export const KEYS: DataDeclaration = {
  noun: 'key',
  summary: 'The keys of all databases, with their values.',
  schema: Type.Object({
    id: Type.String({ description: 'The database and the key: `0:user:7`.' }),
    ...shared,
    type: Type.String({ description: '`string`, `list`, `hash`, `set`, `zset` or `stream`.' }),
    size: Type.Integer({ description: 'Bytes of a string, else how many elements it has.' }),
    value: Type.Optional(
      Type.Unknown({
        description: `A text, a list, or an object of fields, of scores by member, or of the fields of entries by id; of a long one the first ${MAX_SHOWN} elements, or the first MiB.`,
      }),
    ),
    value_base64: Type.Optional(
      Type.String({ description: 'A string that is not UTF-8, in base64, in place of `value`.' }),
    ),
    expires_at: Type.Optional(Type.String({ description: 'When it goes away; absent: never.' })),
  }),
  put: {
    schema: closedObject({
      id: Type.Optional(Type.String({ description: 'The database and the key in one: `0:user:7`.' })),
      key: Type.Optional(
        Type.String({ description: 'The name of the key; in database 0 unless `database` says another.' }),
      ),
      database: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 15, description: 'The number of the database.' }),
      ),
      type: Type.Optional(
        Type.Union(
          ['string', 'list', 'hash', 'set', 'zset', 'stream'].map((name) => Type.Literal(name)),
          { description: 'When absent, a text or a number is a string, a list a list, an object a hash.' },
        ),
      ),
      value: Type.Unknown({ description: 'The value, as in `data` of the configuration.' }),
      ttl: Type.Optional(Type.String({ description: 'How long it stays, a duration: `1h`.' })),
    }),
    examples: [
      { key: 'greeting', value: 'hello', ttl: '1h' },
      { key: 'scores', type: 'zset', value: { ada: 3, grace: 5 } },
    ],
  },
  remove: true,
  view: { as: 'tree', path: 'key', separator: ':', value: 'value' },
};

/** Messages of channels. */
export const PUBLISH: PublishDeclaration = {
  summary: 'Publishes a message in a channel, as PUBLISH does.',
  schema: closedObject({
    channel: Type.String({ minLength: 1, description: 'The name of the channel.' }),
    message: Type.String({ description: 'The message.' }),
  }),
  examples: [{ channel: 'news', message: 'hello' }],
  result: Type.Object({ receivers: Type.Integer({ description: 'How many clients got it.' }) }),
};
