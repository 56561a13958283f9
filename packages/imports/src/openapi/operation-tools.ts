import type { References, Sampler, Tree } from '@backlot/contracts';
import type { ImportFile, ImportNotes } from '@backlot/core/plugin';
import type { Ids } from '../shared/ids.js';

/** What all operations of a document are made with. */
export interface OperationTools {
  readonly file: ImportFile;
  readonly root: Tree;
  readonly isSwagger: boolean;
  readonly references: References;
  readonly sampler: Sampler;
  readonly ids: Ids;
  readonly notes: ImportNotes;
}
