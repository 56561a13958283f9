import type { ImportTools } from '@backlot/management';
import { importOptional } from '../plugins/known.js';

/**
 * The importers of formats that belong to no kind. Their package is loaded when somebody imports a file; it may have been
 * left out when the app was installed.
 */
export const importTools: ImportTools = {
  async load() {
    const exported = await importOptional('@backlot/imports', () => import('@backlot/imports'));
    return exported ?? { importers: [], parseTree: () => ({}) };
  },
};
