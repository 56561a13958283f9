import { GENERATORS } from '../generate/index.mjs';
import { findStale, writeFiles } from './lib/generated.mjs';
import { ROOT } from './lib/workspace.mjs';

const stale = await findStale(ROOT, GENERATORS);
const paths = Object.keys(stale);
if (process.argv.includes('--check')) {
  for (const path of paths) console.error(`${path} is stale: run \`pnpm gen\` and commit what it writes`);
  process.exitCode = paths.length === 0 ? 0 : 1;
} else {
  writeFiles(ROOT, stale);
  console.log(
    paths.length === 0 ? 'everything is up to date' : paths.map((path) => `wrote ${path}`).join('\n'),
  );
}
