import { join } from 'node:path';
import { SOURCE_GENERATORS } from '../generate/index.mjs';
import { findStale, writeFiles } from './lib/generated.mjs';
import { fillTemplate } from './lib/template.mjs';
import { ROOT } from './lib/workspace.mjs';

const [kind, ...rest] = process.argv.slice(2);
if (kind === undefined || rest.length > 0) {
  console.error('usage: pnpm new:protocol <kind>, for example: pnpm new:protocol gopher');
  process.exit(1);
}
try {
  const folder = `packages/protocols/${kind}`;
  const template = join(import.meta.dirname, '..', 'template');
  const files = fillTemplate(template, join(ROOT, folder), kind);
  const derived = await findStale(ROOT, SOURCE_GENERATORS);
  writeFiles(ROOT, derived);
  for (const file of [...files.map((file) => `${folder}/${file}`), ...Object.keys(derived)])
    console.log(`wrote ${file}`);
  console.log('next: pnpm install, then write src and test');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
