import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeVersions } from '../release/version.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { ROOT } from './lib/workspace.mjs';
import { install } from './lib/install.mjs';

/** Makes versions and changelogs of what waits in `.changeset`. */
stopWithNpm();
const env = await prepareEnvironment();
await install(env);
const require = createRequire(join(ROOT, 'package.json'));
const changeset = join(dirname(require.resolve('@changesets/cli/package.json')), 'bin.js');
await makeVersions(ROOT, changeset, env);
