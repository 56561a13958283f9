import {
  closedObject,
  givenBytesFields,
  shownBytesFields,
  Type,
  type DataDeclaration,
} from '@backlot/core/plugin';

const flags = Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: 'The flags of the client.' });

/** The items, as the management API shows and takes them. */
export const ITEMS: DataDeclaration = {
  noun: 'item',
  summary: 'The items, in the order in which they were stored.',
  schema: Type.Object({
    key: Type.String({ description: 'The key.' }),
    ...shownBytesFields('value'),
    flags,
    size: Type.Integer({ description: 'Bytes of the value.' }),
    cas: Type.Integer({ description: 'The unique number that `cas` compares.' }),
    expires_at: Type.Optional(Type.String({ description: 'When it goes away; absent: never.' })),
  }),
  idField: 'key',
  put: {
    schema: closedObject({
      key: Type.String({
        minLength: 1,
        maxLength: 250,
        description: 'The key: without spaces and control characters.',
      }),
      ...givenBytesFields('value'),
      flags: Type.Optional(flags),
      ttl: Type.Optional(Type.String({ description: 'How long it stays, a duration: `1h`.' })),
    }),
    examples: [{ key: 'greeting', value: 'hello', ttl: '1h' }],
  },
  remove: true,
  view: { as: 'tree', separator: ':', value: 'value' },
};
