import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findCircles } from '../checks/circles.mjs';
import { findMisnamed } from '../checks/file-roles.mjs';
import { findUnexportedTypes } from '../checks/exported-types.mjs';
import { findForbiddenImports } from '../checks/imports.mjs';
import { findManifestProblems } from '../checks/manifests.mjs';
import { findPlatformAssumptions } from '../checks/platform.mjs';
import { findAllPackedProblems } from '../checks/packed.mjs';
import { findProtocolNames } from '../checks/protocol-names.mjs';
import { findSharedRuns } from '../checks/shared-runs.mjs';
import { findUnused } from '../checks/unused.mjs';
import { ROOT, listPackages } from './lib/workspace.mjs';

/** @type {Record<string, () => string[] | Promise<string[]>>} */
const CHECKS = {
  'protocol-names': () => {
    const file = fileURLToPath(new URL('../checks/protocol-names.allowed.json', import.meta.url));
    return findProtocolNames(ROOT, JSON.parse(readFileSync(file, 'utf8')));
  },
  platform: () => {
    const file = fileURLToPath(new URL('../checks/platform.allowed.json', import.meta.url));
    return findPlatformAssumptions(ROOT, JSON.parse(readFileSync(file, 'utf8')));
  },
  'shared-runs': () => findSharedRuns(ROOT),
  'file-roles': () => findMisnamed(ROOT),
  circles: () => findCircles(ROOT),
  types: () => findUnexportedTypes(ROOT),
  imports: () => findForbiddenImports(ROOT),
  unused: () => findUnused(ROOT),
  manifests: () =>
    listPackages()
      .filter(({ path, manifest }) => !manifest.private && !path.startsWith('examples/'))
      .flatMap(findManifestProblems),
};

/**
 * Checks of what was built, which run when they are named.
 *
 * @type {typeof CHECKS}
 */
const OF_BUILT = { packed: findAllPackedProblems };

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(CHECKS)) {
  const check = CHECKS[name] ?? OF_BUILT[name];
  if (check === undefined)
    throw new Error(
      `no check is called "${name}"; there are ${Object.keys({ ...CHECKS, ...OF_BUILT }).join(', ')}`,
    );
  const problems = await check();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
