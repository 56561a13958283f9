import type { ExportTools } from '@backlot/management';
import { importOptional } from '../plugins/known.js';

/**
 * The exporters of formats that belong to no kind. Their package is loaded when somebody wants a file; it may have been left
 * out when the app was installed.
 */
export const exportTools: ExportTools = {
  async load() {
    const [{ har }, exported] = await Promise.all([
      import('./har.js'),
      importOptional('@backlot/exports', () => import('@backlot/exports')),
    ]);
    return [har, ...(exported?.exporters ?? [])];
  },
};
