import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where a configuration is looked for when none is named; the first that exists is used. */
export const CONFIG_FILES: readonly string[] = [
  'backlot.yaml',
  'backlot.yml',
  'backlot.json',
  'mockly.yaml',
  'mockly.yml',
  'mockly.json',
];

/** The configuration file of a folder, as a name in that folder. */
export function findConfigFile(folder: string): string | undefined {
  return CONFIG_FILES.find((name) => existsSync(join(folder, name)));
}
