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

/** Characters of YAML that a server parses: all clients wait meanwhile. */
const MOST_YAML = 64 * 1024;

/** {@link importTools} for a server: what is no JSON and long is not parsed there. */
export const serverImportTools: ImportTools = {
  async load() {
    const { importers, parseTree } = await importTools.load();
    return {
      importers,
      parseTree: (text, name) =>
        text.length <= MOST_YAML
          ? parseTree(text, name)
          : {
              fault: `YAML of more than ${MOST_YAML} characters is not read by the server; send it as JSON, or use "backlot import", which reads it by itself`,
            },
    };
  },
};
