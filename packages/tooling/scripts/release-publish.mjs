import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAll } from '../packed/pack.mjs';
import { readPage } from '../release/address.mjs';
import { publishAll } from '../release/publish.mjs';
import { installAndBuild } from './lib/install.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { ROOT, listPackages } from './lib/workspace.mjs';

/** Builds everything and publishes the versions that the registry does not have; `--dry-run` sends nothing. */
const given = process.argv.slice(2);
const wrong = given.filter((flag) => flag !== '--dry-run' && flag !== '--provenance');
if (wrong.length > 0) {
  console.error(
    `${wrong.join(' ')}: no such option; usage: npm run release:publish -- [--dry-run] [--provenance]`,
  );
  process.exit(1);
}
stopWithNpm();
// Before minutes of building: without an address there is no release.
const page = await readPage(ROOT);
const env = await prepareEnvironment();
await installAndBuild(env);
Object.assign(process.env, env);
const folder = mkdtempSync(join(tmpdir(), 'backlot-release-'));
try {
  const tarballs = await packAll(folder);
  const paths = new Map(listPackages().map(({ manifest, path }) => [manifest.name, path]));
  const isDry = given.includes('--dry-run');
  const published = await publishAll({
    ...{ tarballs, paths, page, isDry, env },
    flags: given.includes('--provenance') ? ['--provenance'] : [],
    tell: (line) => console.log(line),
  });
  console.log(
    `${published.length} of ${tarballs.length} packages ${isDry ? 'would be' : 'were'} published from ${page}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
