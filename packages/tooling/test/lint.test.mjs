import { describe, expect, it } from '@jest/globals';
import { ESLint } from 'eslint';
import { join } from 'node:path';
import { eslintConfig } from '../presets/eslint.mjs';
import { withTree } from './tree.mjs';

/**
 * @param {string} file
 * @param {string} text
 * @returns {Promise<(string | null)[]>} the rules that are broken
 */
const lint = (file, text) =>
  withTree(
    { [file]: text, 'tsconfig.json': { compilerOptions: { strict: true, lib: ['es2023'], types: [] } } },
    async (root) => {
      const eslint = new ESLint({ cwd: root, overrideConfigFile: true, overrideConfig: eslintConfig(root) });
      const [result] = await eslint.lintFiles([join(root, file)]);
      return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
    },
  );

const SOURCE = 'packages/protocols/gopher/src/a.ts';

describe('the rules of the house', () => {
  it.each([
    [`export const a = Date.now();`, 'no-restricted-properties'],
    [`export const a = Math.random();`, 'no-restricted-properties'],
    [`setTimeout(() => {}, 1);`, 'no-restricted-globals'],
    [`setInterval(() => {}, 1);`, 'no-restricted-globals'],
    [`export * from './b.js';`, 'no-restricted-syntax'],
    [`export default 1;`, 'no-restricted-syntax'],
    [`export const a: any = 1;`, '@typescript-eslint/no-explicit-any'],
    [`void (async () => { Promise.resolve(1); })();`, '@typescript-eslint/no-floating-promises'],
  ])('refuse %s in a package', async (text, rule) => {
    expect(await lint(SOURCE, `${text}\n`)).toContain(rule);
  });

  it.each(['packages/core/src/clock/real.ts', 'packages/webhooks/src/random.ts', 'packages/kit/src/wire.ts'])(
    'leave time to %s',
    async (file) => {
      expect(await lint(file, 'export const a = Date.now();\nexport const b = Math.random();\n')).toEqual([]);
    },
  );
});
