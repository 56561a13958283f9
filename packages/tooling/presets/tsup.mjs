import { fileURLToPath } from 'node:url';

/**
 * A folder without sources. tsup insists on a `baseUrl`, and with its default, the package, TypeScript writes types of
 * dependencies as `node_modules/...`, which are then copied into our declarations and no longer are the same types.
 */
const NO_SOURCES = fileURLToPath(new URL('.', import.meta.url));

/**
 * The build of every package: ESM and CommonJS with declarations.
 *
 * Declarations of other packages come from their `dist`, as they do for a user: a package that exports something its
 * neighbours cannot see fails here and not after it is published.
 *
 * @param {{ entry?: string[], format?: ('esm' | 'cjs')[] }} [options]
 * @returns {import('tsup').Options}
 */
export function defineBuild({ entry = ['src/index.ts'], format = ['esm', 'cjs'] } = {}) {
  return {
    entry,
    format,
    dts: { compilerOptions: { customConditions: [], baseUrl: NO_SOURCES } },
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
