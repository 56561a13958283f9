import { BacklotError } from '@backlot/core';
import type { ManagementOptions } from '@backlot/management';
import { importOptional } from '../plugins/known.js';

/** What reads spans of applications, in a package that somebody may have left out. It is loaded when some come. */
export const spanTools: NonNullable<ManagementOptions['spans']> = {
  async load() {
    const loaded = await importOptional(
      '@backlot/services',
      () => import('@backlot/services/otlp/spans.mjs'),
    );
    if (loaded === undefined)
      throw new BacklotError(
        'not_found',
        'spans are read by the package @backlot/services, which is not installed; install it with "npm install @backlot/services"',
      );
    return loaded;
  },
};
