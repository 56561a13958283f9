import {
  closedObject,
  givenBytesFields,
  shownBytesFields,
  Type,
  type DataDeclaration,
} from '@backlot/core/plugin';

const PATH = Type.String({ minLength: 1, maxLength: 2048, description: 'Where the file is, from the root.' });

/** The files that are there now, as the management API shows and takes them. */
export const FILES: DataDeclaration = {
  noun: 'file',
  summary: 'The files that are there now, those that clients have uploaded among them.',
  schema: Type.Object({
    path: PATH,
    size: Type.Integer({ description: 'Bytes.' }),
    permissions: Type.String({ description: 'The Unix mode, as `rw-r--r--`.' }),
    modified: Type.String({ description: 'When it was changed, RFC 3339.' }),
    ...shownBytesFields('content'),
  }),
  idField: 'path',
  put: {
    schema: closedObject({ path: PATH, ...givenBytesFields('content') }),
    examples: [{ path: '/inbox/orders.csv', content: 'id,total\n1,9.90\n' }],
  },
  remove: true,
  view: { as: 'tree', separator: '/', value: 'content' },
};
