import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compileJava, generateJavaClient } from './lib/java-client.mjs';
import { ROOT } from './lib/workspace.mjs';

const [language, folder, document = join(ROOT, 'docs/reference/openapi.json'), ...programs] =
  process.argv.slice(2);
if (language !== 'java' || folder === undefined) {
  console.error(
    'usage: node packages/tooling/scripts/generate-client.mjs java <folder> [openapi.json [Program.java ...]]\n' +
      'writes a typed client of the management API into the folder, compiles it with the programs, and prints the class path',
  );
  process.exit(1);
}
try {
  const to = resolve(folder);
  const files = generateJavaClient(JSON.parse(readFileSync(document, 'utf8')), to);
  const classes = join(to, 'classes');
  mkdirSync(classes, { recursive: true });
  console.log(compileJava([...files, ...programs.map((program) => resolve(program))], classes));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
