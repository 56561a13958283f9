import { Type, type DataDeclaration } from '@backlot/core/plugin';
import { TreeEntrySchema } from '../schemas.js';

/** The entries of the directory, as the management API shows and takes them. */
export const ENTRIES: DataDeclaration = {
  noun: 'entry',
  summary: 'The entries of the directory, each above those below it.',
  schema: Type.Object({
    dn: Type.String({ description: 'The name of the entry.' }),
    attributes: Type.Record(Type.String(), Type.Array(Type.Unknown()), {
      description: 'Its attributes: a list of texts, or of `{base64: ...}` for what is no text.',
    }),
  }),
  idField: 'dn',
  put: {
    schema: TreeEntrySchema,
    examples: [
      {
        dn: 'uid=grace,dc=example,dc=org',
        attributes: { objectClass: ['person'], sn: 'Hopper', cn: 'Grace' },
      },
    ],
  },
  remove: true,
  view: { as: 'tree', separator: ',', fromEnd: true, value: 'attributes' },
};
