import type * as Exports from '@backlot/exports';
import type { ExportTools } from '@backlot/management';
import { CommandError } from '../cli/command-error.js';
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
    if (exported === undefined) return { exporters: [har] };
    return { exporters: [har, ...exported.exporters], save: exported.saveFlight };
  },
};

/**
 * What reads and writes recordings.
 *
 * @throws CommandError where it was left out
 */
export async function flightTools(): Promise<typeof Exports> {
  const exported = await importOptional('@backlot/exports', () => import('@backlot/exports'));
  if (exported !== undefined) return exported;
  throw new CommandError(
    'recordings need @backlot/exports, which is not installed; install it with "npm install @backlot/exports"',
  );
}
