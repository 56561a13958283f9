import { describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { run } from '../scripts/lib/run.mjs';
import { withTree } from './tree.mjs';

const MANIFEST = {
  name: 'packed',
  version: '1.0.0',
  license: 'MIT',
  type: 'module',
  files: ['dist'],
  main: './dist/index.cjs',
  types: './dist/index.d.cts',
  exports: {
    '.': {
      'backlot-source': './src/index.ts',
      import: { types: './dist/index.d.ts', default: './dist/index.js' },
      require: { types: './dist/index.d.cts', default: './dist/index.cjs' },
    },
  },
};
const FILES = {
  'dist/index.js': 'export const a = 1;\n',
  'dist/index.d.ts': 'export declare const a: number;\n',
  'dist/index.cjs': 'exports.a = 1;\n',
  'dist/index.d.cts': 'export declare const a: number;\n',
};
const COMMAND = fileURLToPath(new URL('../bin/backlot-check-package.mjs', import.meta.url));

/**
 * @param {object} exportsOfEntry what is published for the package's one entry
 * @returns {Promise<import('../scripts/lib/run.mjs').Ended>}
 */
const check = (exportsOfEntry) => checkExports({ '.': exportsOfEntry });

/**
 * @param {object} exports
 * @param {object} [further] fields of the manifest
 * @returns {Promise<import('../scripts/lib/run.mjs').Ended>}
 */
const checkExports = (exports, further = {}) => {
  const manifest = { ...MANIFEST, ...further, publishConfig: { exports } };
  return withTree({ 'package.json': manifest, ...FILES }, (root) =>
    run(process.execPath, [COMMAND], { cwd: root, capture: true }),
  );
};

/**
 * @param {Record<string, string>} files of a package whose exports are right
 * @returns {Promise<import('../scripts/lib/run.mjs').Ended>}
 */
const checkFiles = (files) =>
  withTree(
    { 'package.json': { ...MANIFEST, publishConfig: { exports: { '.': PUBLISHED } } }, ...files },
    (root) => run(process.execPath, [COMMAND], { cwd: root, capture: true }),
  );

const { 'backlot-source': _source, ...PUBLISHED } = MANIFEST.exports['.'];

describe('the check of packed packages', () => {
  it('accepts a package whose parts fit', async () => {
    expect(await check(PUBLISHED)).toEqual({ code: 0, output: '' });
  });

  it('finds an entry that is not in the tarball', async () => {
    const { code, output } = await check({
      ...PUBLISHED,
      import: { ...PUBLISHED.import, default: './dist/lost.js' },
    });
    expect(output).toMatch(/^publint: .*lost\.js/m);
    expect(code).toBe(1);
  });

  it('finds types that do not fit the module format', async () => {
    const require = { ...PUBLISHED.require, types: './dist/index.d.ts' };
    const { code, output } = await check({ ...PUBLISHED, require });
    expect(output).toMatch(/^are-the-types-wrong: .*FalseESM/m);
    expect(code).toBe(1);
  });

  it('finds an entry that resolution without exports maps does not find', async () => {
    const entries = { '.': PUBLISHED, './plugin': PUBLISHED };
    const { code, output } = await checkExports(entries);
    expect(output).toMatch(/^are-the-types-wrong: .*NoResolution.*"\.\/plugin".*"node10"/m);
    expect(code).toBe(1);

    const typesVersions = { '*': { plugin: ['./dist/index.d.cts'] } };
    expect(await checkExports(entries, { typesVersions })).toEqual({ code: 0, output: '' });
  });

  it('finds CommonJS that cannot be read', async () => {
    const broken = {
      ...FILES,
      'dist/index.cjs': '"use strict";\nexports.a = function* () {\n  return () => (yield* a);\n};\n',
    };
    const { code, output } = await checkFiles(broken);
    expect(output).toMatch(/^\S*dist\/index\.cjs:3 cannot be required: SyntaxError: .*: return \(\) =>/m);
    expect(code).toBe(1);
  });
});
