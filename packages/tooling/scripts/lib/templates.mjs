import { join } from 'node:path';
import { ROOT } from './workspace.mjs';

export { fillTemplate } from '../../../../apps/backlot/template/fill.mjs';

/**
 * What a protocol of this repository is made of: the sources and tests that `backlot new-protocol` writes too, and the
 * package around them as it is here.
 */
export const PROTOCOL_TEMPLATES = [
  join(ROOT, 'apps/backlot/template/protocol'),
  join(ROOT, 'packages/tooling/template'),
];
