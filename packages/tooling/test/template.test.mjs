import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillTemplate } from '../scripts/lib/templates.mjs';
import { ROOT, readManifest } from '../scripts/lib/workspace.mjs';
import { withTree } from './tree.mjs';

const TREE = {
  'sources/src/__kind__-server.ts': 'export const __kind__ = 1; // __Kind__',
  'sources/node_modules/left/index.js': '',
  'frame/package.template.json': '{ "name": "@backlot/__kind__", "core": "^__version__" }',
  'frame/gitignore': 'dist/',
};
const NAMES = { kind: 'gopher', version: '1.2.3' };

/** @param {string} root */
const templatesOf = (root) => [join(root, 'sources'), join(root, 'frame')];

describe('a new protocol', () => {
  it('is the templates with their names filled in', async () => {
    await withTree(TREE, (root) => {
      const target = join(root, 'gopher');
      expect(fillTemplate(templatesOf(root), target, NAMES)).toEqual([
        '.gitignore',
        'package.json',
        join('src', 'gopher-server.ts'),
      ]);
      expect(readFileSync(join(target, 'package.json'), 'utf8')).toBe(
        '{ "name": "@backlot/gopher", "core": "^1.2.3" }',
      );
      expect(readFileSync(join(target, 'src/gopher-server.ts'), 'utf8')).toBe(
        'export const gopher = 1; // Gopher',
      );
    });
  });

  it.each(['', 'Gopher', '../x', 'go pher', '9p', '@x/y', 'a-b', 'class', 'await'])(
    'cannot be called "%s"',
    async (kind) => {
      await withTree(TREE, (root) => {
        expect(() => fillTemplate(templatesOf(root), join(root, 'new'), { ...NAMES, kind })).toThrow(
          `"${kind}" cannot be a kind`,
        );
      });
    },
  );

  it('never overwrites anything', async () => {
    await withTree(TREE, (root) => {
      expect(() => fillTemplate(templatesOf(root), join(root, 'frame'), NAMES)).toThrow('exists already');
    });
  });
});

describe('the package of a protocol outside of this repository', () => {
  const workspace = readManifest(ROOT).devDependencies ?? {};
  const file = join(ROOT, 'apps/backlot/template/package/package.template.json');
  /** @type {import('../scripts/lib/workspace.mjs').Manifest} */
  const { devDependencies = {}, peerDependencies } = JSON.parse(readFileSync(file, 'utf8'));

  it('is built and tested with the versions that are used here', () => {
    const tools = Object.entries(devDependencies).filter(([name]) => !name.startsWith('@backlot/'));
    expect(tools.map(([name]) => name)).toEqual(['@jest/globals', '@types/node', 'jest', 'typescript']);
    for (const [name, version] of tools) expect([name, version]).toEqual([name, workspace[name]]);
  });

  it('works with the core and the kit that the host has', () => {
    expect(peerDependencies).toEqual({
      '@backlot/core': '^__version__',
      '@backlot/kit': '^__version__',
    });
  });
});
