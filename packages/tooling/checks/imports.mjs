import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import config from './imports.config.mjs';

/**
 * Checks the directions of imports below `packages` and `apps`.
 *
 * @param {string} root
 * @returns {Promise<string[]>} one sentence per forbidden import
 */
export async function findForbiddenImports(root) {
  const folders = ['packages', 'apps'].filter((folder) => existsSync(join(root, folder)));
  const { output } = await cruise(folders, {
    ...config.options,
    ruleSet: { forbidden: config.forbidden ?? [] },
    validate: true,
    baseDir: root,
  });
  if (typeof output === 'string')
    throw new Error(`dependency-cruiser answered text in place of a result: ${output}`);
  const comments = new Map(config.forbidden?.map((rule) => [rule.name, rule.comment]));
  return output.summary.violations.map(({ from, to, rule, cycle }) => {
    const way = cycle === undefined ? to : cycle.map(({ name }) => name).join(' -> ');
    return `${from} -> ${way}: ${comments.get(rule.name) ?? rule.name}`;
  });
}
