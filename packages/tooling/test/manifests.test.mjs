import { describe, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findManifestProblems } from '../checks/manifests.mjs';
import { PROTOCOL_TEMPLATES, fillTemplate } from '../scripts/lib/templates.mjs';
import { readManifest } from '../scripts/lib/workspace.mjs';
import { withTree } from './tree.mjs';

/**
 * A protocol as the template makes it, with a change to its manifest or its files.
 *
 * @param {(manifest: any) => void} change
 * @param {(dir: string) => void} [changeFiles]
 */
const check = (change, changeFiles = () => {}) =>
  withTree({}, (root) => {
    const dir = join(root, 'gopher');
    fillTemplate(PROTOCOL_TEMPLATES, dir, { kind: 'gopher', version: '0.1.0' });
    const manifest = readManifest(dir);
    change(manifest);
    changeFiles(dir);
    return findManifestProblems({ dir, path: 'packages/protocols/gopher', manifest });
  });

describe('the check of manifests', () => {
  it('accepts what the template makes', async () => {
    expect(await check(() => {})).toEqual([]);
  });

  it.each([
    ['an unknown field', (/** @type {any} */ manifest) => (manifest.author = 'a'), 'list of fields'],
    ['no keywords', (/** @type {any} */ manifest) => delete manifest.keywords, '"keywords"'],
    ['another name', (/** @type {any} */ manifest) => (manifest.name = '@backlot/other'), '"name"'],
    ['another licence', (/** @type {any} */ manifest) => (manifest.license = 'ISC'), '"license"'],
    ['no kind', (/** @type {any} */ manifest) => delete manifest.backlot, '"backlot"'],
    ['another kind', (/** @type {any} */ manifest) => (manifest.backlot.protocol = 'x'), '"backlot"'],
    [
      'exports without types',
      (/** @type {any} */ manifest) => delete manifest.exports['.'].require.types,
      '"exports"',
    ],
    [
      'an entry that old resolution does not find',
      (/** @type {any} */ manifest) => delete manifest.types,
      '"types"',
    ],
    [
      'a source that is published',
      (/** @type {any} */ manifest) => (manifest.publishConfig.exports = manifest.exports),
      '"publishConfig"',
    ],
    [
      'a core of its own',
      (/** @type {any} */ manifest) => (manifest.dependencies['@backlot/core'] = 'workspace:*'),
      'is a peer',
    ],
    [
      'no core',
      (/** @type {any} */ manifest) => delete manifest.peerDependencies,
      'must be a peer dependency',
    ],
    [
      'a version range',
      (/** @type {any} */ manifest) => (manifest.dependencies.ws = '^8.0.0'),
      'exact version',
    ],
    ['scripts of its own', (/** @type {any} */ manifest) => (manifest.scripts.test = 'true'), '"scripts"'],
  ])('finds %s', async (_what, change, problem) => {
    expect(await check(change)).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
  });

  it('finds a missing file', async () => {
    const problems = await check(
      () => {},
      (dir) => rmSync(join(dir, 'README.md')),
    );
    expect(problems).toEqual(['packages/protocols/gopher/README.md is missing']);
  });
});
