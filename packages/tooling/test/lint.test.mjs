import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT } from '../scripts/lib/workspace.mjs';
import { withTree } from './tree.mjs';

const require = createRequire(import.meta.url);
const OXLINT = join(dirname(require.resolve('oxlint/package.json')), 'bin/oxlint');
const TSGOLINT = join(dirname(require.resolve('oxlint-tsgolint/package.json')), 'bin/tsgolint.js');
const OWN_RULES = 'packages/tooling/presets/lint-rules.mjs';

/**
 * @param {Record<string, string>} files
 * @returns {Promise<string[]>} the rules that are broken, in the order of the files' names
 */
const lint = (files) =>
  withTree(
    {
      ...files,
      '.oxlintrc.json': readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8'),
      [OWN_RULES]: readFileSync(join(ROOT, OWN_RULES), 'utf8'),
      'package.json': { type: 'module' },
      'tsconfig.json': { compilerOptions: { strict: true, lib: ['es2023', 'dom'], types: [] } },
    },
    (root) => {
      const { stdout } = spawnSync(process.execPath, [OXLINT, '--format=json'], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, OXLINT_TSGOLINT_PATH: TSGOLINT },
      });
      /** @type {{ diagnostics: { code?: string, filename: string, message: string }[] }} */
      const { diagnostics } = JSON.parse(stdout);
      return diagnostics.map(({ filename, code, message }) => `${filename} ${code ?? message}`).sort();
    },
  );

const FOLDER = 'packages/protocols/gopher/src';

describe('the rules of the house', () => {
  it('refuse what a package must not do', async () => {
    const texts = {
      'a.ts': [`export const a = Date.now();`, 'eslint(no-restricted-properties)'],
      'b.ts': [`export const a = Math.random();`, 'eslint(no-restricted-properties)'],
      'c.ts': [
        `declare const process: { env: string };\nexport const a = process.env;`,
        'eslint(no-restricted-properties)',
      ],
      'd.ts': [`setTimeout(() => {}, 1);`, 'eslint(no-restricted-globals)'],
      'e.ts': [`setInterval(() => {}, 1);`, 'eslint(no-restricted-globals)'],
      'f.ts': [`import 'node:timers';`, 'eslint(no-restricted-imports)'],
      'g.ts': [`export * from './h.js';`, 'house(no-export-all)'],
      'h.ts': [`export default 1;`, 'import(no-default-export)'],
      'i.ts': [`export const a: any = 1;`, 'typescript(no-explicit-any)'],
      'j.ts': [`export const a = () => { Promise.resolve(1); };`, 'typescript(no-floating-promises)'],
      'k.ts': [
        `// oxlint-disable-next-line no-var\nexport const a = 1;`,
        'Unused oxlint-disable directive (no problems were reported).',
      ],
    };
    const files = Object.fromEntries(
      Object.entries(texts).map(([name, [text]]) => [`${FOLDER}/${name}`, `${text}\n`]),
    );
    expect(await lint(files)).toEqual(
      Object.entries(texts).map(([name, [, rule]]) => `${FOLDER}/${name} ${rule}`),
    );
  });

  it('leave time to those who hand it out, and to the kit', async () => {
    const text = 'export const a = Date.now();\nexport const b = Math.random();\n';
    expect(
      await lint({
        'packages/core/src/clock/real.ts': text,
        'packages/webhooks/src/random.ts': text,
        'packages/kit/src/wire.ts': text,
      }),
    ).toEqual([]);
  });
});
