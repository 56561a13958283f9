import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of a package that is installed for the tests. */
export function packageFile(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url)), 'utf8');
}
