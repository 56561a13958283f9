import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillTemplate } from '../scripts/lib/template.mjs';
import { withTree } from './tree.mjs';

const TREE = {
  'template/package.json': '{ "name": "@backlot/__kind__" }',
  'template/src/__kind__-server.ts': 'export const __kind__ = 1; // __Kind__',
};

describe('a new protocol', () => {
  it('is the template with its name filled in', async () => {
    await withTree(TREE, (root) => {
      const target = join(root, 'gopher');
      expect(fillTemplate(join(root, 'template'), target, 'gopher')).toEqual([
        'package.json',
        join('src', 'gopher-server.ts'),
      ]);
      expect(readFileSync(join(target, 'package.json'), 'utf8')).toBe('{ "name": "@backlot/gopher" }');
      expect(readFileSync(join(target, 'src/gopher-server.ts'), 'utf8')).toBe(
        'export const gopher = 1; // Gopher',
      );
    });
  });

  it.each(['', 'Gopher', '../x', 'go pher', '9p', '@x/y', 'a-b'])('cannot be called "%s"', async (kind) => {
    await withTree(TREE, (root) => {
      expect(() => fillTemplate(join(root, 'template'), join(root, 'new'), kind)).toThrow(
        `"${kind}" cannot be a kind`,
      );
    });
  });

  it('never overwrites a package', async () => {
    await withTree(TREE, (root) => {
      expect(() => fillTemplate(join(root, 'template'), join(root, 'template'), 'gopher')).toThrow(
        'exists already',
      );
    });
  });
});
