import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateAppManifest } from '../generate/app-manifest.mjs';
import { generateInstalledProtocols } from '../generate/installed-protocols.mjs';
import { listProtocols } from '../generate/protocol-order.mjs';
import { findStale, writeFiles } from '../scripts/lib/generated.mjs';
import { withTree } from './tree.mjs';

const TREE = {
  'packages/protocols/sip/package.json': { name: '@backlot/sip' },
  'packages/protocols/gopher/package.json': { name: '@backlot/gopher' },
  'packages/protocols/http/package.json': { name: '@backlot/http' },
  'packages/protocols/empty/README.md': 'no package',
  'apps/backlot/package.json': {
    name: 'backlot',
    dependencies: { yaml: '2.9.1', '@backlot/core': 'workspace:*' },
  },
};
const GENERATORS = [generateAppManifest, generateInstalledProtocols];

describe('generated files', () => {
  it('list the protocols in the order of the specification, others after them', async () => {
    const kinds = await withTree(TREE, (root) => listProtocols(root).map(({ kind }) => kind));
    expect(kinds).toEqual(['http', 'sip', 'gopher']);
  });

  it('hold one entry per protocol package', async () => {
    const files = await withTree(TREE, generateInstalledProtocols);
    const text = files['apps/backlot/src/installed.generated.ts'];
    expect(text).toContain(`{ kind: 'sip', package: '@backlot/sip', load: () => import('@backlot/sip') },`);
    expect(text?.match(/kind: /g)).toHaveLength(3);
  });

  it('make every protocol an optional dependency of the app, and keep what it depends on besides', async () => {
    const files = await withTree(TREE, generateAppManifest);
    expect(JSON.parse(files['apps/backlot/package.json'] ?? '')).toMatchObject({
      dependencies: TREE['apps/backlot/package.json'].dependencies,
      optionalDependencies: {
        '@backlot/gopher': 'workspace:*',
        '@backlot/http': 'workspace:*',
        '@backlot/sip': 'workspace:*',
      },
    });
  });

  it('are stale until they are written, and again when they are edited', async () => {
    await withTree(TREE, async (root) => {
      const stale = await findStale(root, GENERATORS);
      expect(Object.keys(stale)).toEqual([
        'apps/backlot/package.json',
        'apps/backlot/src/installed.generated.ts',
      ]);
      writeFiles(root, stale);
      expect(await findStale(root, GENERATORS)).toEqual({});

      const file = 'apps/backlot/src/installed.generated.ts';
      writeFiles(root, { [file]: `${readFileSync(join(root, file), 'utf8')}// edited\n` });
      expect(Object.keys(await findStale(root, GENERATORS))).toEqual([file]);
    });
  });
});
