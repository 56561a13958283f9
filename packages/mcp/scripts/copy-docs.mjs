// Copies the pages of the documentation that agents read, so that they are there where the package is installed.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const from = fileURLToPath(new URL('../../../docs/', import.meta.url));
const to = fileURLToPath(new URL('../dist/docs/', import.meta.url));
rmSync(to, { recursive: true, force: true });
for (const folder of ['guides', 'protocols', 'services']) {
  mkdirSync(to + folder, { recursive: true });
  cpSync(from + folder, to + folder, { recursive: true });
}
