import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Makes a folder with files for as long as `use` needs it.
 *
 * @template T
 * @param {Record<string, string | object>} files contents by path; an object is written as JSON
 * @param {(root: string) => T | Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withTree(files, use) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'backlot-tree-')));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
