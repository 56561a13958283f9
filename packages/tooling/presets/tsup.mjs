import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DECLARATIONS } from './declarations.mjs';

/**
 * A folder without sources. tsup insists on a `baseUrl`, and with its default, the package, TypeScript writes types of
 * dependencies as `node_modules/...`, which are then copied into our declarations and no longer are the same types.
 */
const NO_SOURCES = fileURLToPath(new URL('.', import.meta.url));

/**
 * The build of every package: ESM and CommonJS with declarations, one file an entry point, made of those that
 * `backlot-declare` wrote before.
 *
 * @param {{ entry?: string[], format?: ('esm' | 'cjs')[] }} [options]
 * @returns {import('tsup').Options}
 */
export function defineBuild({ entry = ['src/index.ts'], format = ['esm', 'cjs'] } = {}) {
  const names = entry.map((path) => basename(path, '.ts'));
  return {
    entry,
    format,
    dts: {
      entry: Object.fromEntries(names.map((name) => [name, join(DECLARATIONS, `${name}.d.ts`)])),
      compilerOptions: { customConditions: [], baseUrl: NO_SOURCES },
    },
    target: 'node20',
    platform: 'node',
    // Entry points of one package share their chunks, so that a class exists once per module format.
    splitting: true,
    // tsup leaves dependencies and peers out of the bundle; that optional ones stay out as well has to be said.
    external: [/^@backlot\//],
    clean: true,
    silent: true,
  };
}
