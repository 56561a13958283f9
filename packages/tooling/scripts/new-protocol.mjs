import { join } from 'node:path';
import { SOURCE_GENERATORS } from '../generate/index.mjs';
import { findStale, writeFiles } from './lib/generated.mjs';
import { PROTOCOL_TEMPLATES, fillTemplate } from './lib/templates.mjs';
import { ROOT, readManifest } from './lib/workspace.mjs';

const [kind, ...rest] = process.argv.slice(2);
if (kind === undefined || rest.length > 0) {
  console.error('usage: pnpm new:protocol <kind>, for example: pnpm new:protocol gopher');
  process.exit(1);
}
try {
  const folder = `packages/protocols/${kind}`;
  const { version } = readManifest(join(ROOT, 'packages/core'));
  const files = fillTemplate(PROTOCOL_TEMPLATES, join(ROOT, folder), { kind, version });
  const derived = await findStale(ROOT, SOURCE_GENERATORS);
  writeFiles(ROOT, derived);
  for (const file of [...files.map((file) => `${folder}/${file}`), ...Object.keys(derived)])
    console.log(`wrote ${file}`);
  console.log('next: pnpm install, then write src and test');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
