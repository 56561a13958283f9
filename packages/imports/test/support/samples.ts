import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ImportSample } from '@backlot/conformance';

const FOLDER = fileURLToPath(new URL('../samples', import.meta.url));

/** A file of the samples. */
export function sample(format: string, name: string): ImportSample {
  return { format, name, content: readFileSync(join(FOLDER, name)) };
}

/** A folder of the samples. */
export function folderSample(format: string, name: string): ImportSample {
  const files = readdirSync(join(FOLDER, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry): [string, Uint8Array] => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(join(FOLDER, name).length + 1), readFileSync(path)];
    });
  return { format, name, content: '', files: Object.fromEntries(files) };
}
