import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importFile, readImport } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { expect, it } from '@jest/globals';
import { importers } from '../src/imports/importers.js';
import { afterThis, openClient, startHost } from './support.js';

/** A folder of which nobody here wrote a word. */
const PACKAGE = fileURLToPath(new URL('../node_modules/basic-ftp/', import.meta.url));

/** The files below a folder, by their paths in it. */
function readTree(root: string): Map<string, Buffer> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted()
      .map((path) => [relative(root, path), readFileSync(path)]),
  );
}

it('a folder that others made is downloaded again as it stands', async () => {
  const tree = readTree(PACKAGE);
  const files = [...tree].map(([name, content]) => importFile({ name, content }));
  const folder = importFile({ name: 'basic-ftp', content: '', files });
  const { imported, report } = runAtOnce(readImport(folder, importers, { seed: 1 }));
  expect(report).toMatchObject({ format: 'folder', taken: { 'ftp files': tree.size }, refused: [] });
  const { port } = await startHost({ ...imported.protocols?.['ftp'] });
  const target = mkdtempSync(join(tmpdir(), 'backlot-folder-'));
  afterThis(() => rmSync(target, { recursive: true, force: true }));
  const client = await openClient(port);
  await client.downloadToDir(target, '/');
  expect(readTree(target)).toEqual(tree);
});
