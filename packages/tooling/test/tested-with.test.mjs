import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPairs, testedWith } from '../generate/docs/tested-with.mjs';
import { withTree } from './tree.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('what a protocol is tested with', () => {
  it('is what its tests import and run, with the versions', async () => {
    const tree = {
      'packages/tooling/debian-tools.txt':
        'python3 python3\npython3:goph python3-gopher\ngopherd gopherd\ncurl curl\n',
      'packages/tooling/debian-versions.txt': 'python3 3.11.2\npython3-gopher 1.4\ngopherd 2.0\ncurl 7\n',
      'packages/tooling/bench/program.mjs': "export const GOPHERD = '/usr/sbin/gopherd';\n",
      'packages/protocols/gopher/package.json': {
        dependencies: { 'gopher.js': '2.1.0', unused: '1.0.0' },
        devDependencies: {
          '@go/pher': '3.0.0',
          'gopher-1': 'npm:gopher.js@1.0.0',
          '@backlot/core': 'workspace:*',
        },
      },
      'packages/protocols/gopher/test/a.test.ts': [
        "import { it } from 'node:test';",
        "import { createHost } from '@backlot/core';",
        "import { get } from '@go/pher/client';",
        "const old = await import('gopher-1');",
        "const own = createRequire(import.meta.url)('gopher.js');",
        "import { start } from './support.js';",
        "itWithTool(`${GOPHERD} python3:goph`, 'is there', run);",
        "itWithTool('python3:stdlib', 'is there too', run);",
      ].join('\n'),
    };
    const shown = await withTree(tree, (root) => testedWith(root, 'packages/protocols/gopher'));
    expect(shown.split('\n').slice(2)).toEqual([
      '| `@go/pher` | 3.0.0 | npm |',
      '| `gopher.js` | 1.0.0 | npm |',
      '| `gopher.js` | 2.1.0 | npm |',
      '| `gopherd` | 2.0 | Debian |',
      '| `python3` | 3.11.2 | Debian |',
      '| `python3-gopher` | 1.4 | Debian |',
    ]);
  });

  it('has a version for every tool of Debian, which is the one that is installed', () => {
    const versions = new Map(readPairs(ROOT, 'debian-versions.txt'));
    const packages = [...new Set(readPairs(ROOT, 'debian-tools.txt').map(([, name]) => name))];
    expect([...versions.keys()].sort()).toEqual(packages.sort());
    const folder = join(ROOT, 'docs/protocols');
    const pages = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const shown = packages.filter((name) => pages.some((page) => page.includes(`| \`${name}\` `)));
    expect(shown.length).toBeGreaterThan(40);
    // Other releases have others, and what is not installed has none.
    if (!/^VERSION_ID="12"$/m.test(readRelease())) return;
    const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${Version}\\n', ...shown], {
      encoding: 'utf8',
    });
    for (const line of stdout.trim().split('\n')) {
      const [name = '', installed = ''] = line.split(' ');
      // A security update of Debian changes what stands behind the second number.
      const [major = '', minor] = (versions.get(name) ?? '').split('.');
      if (installed !== '')
        expect(`${name} ${installed}`).toContain(minor === undefined ? major : `${major}.${minor}`);
    }
  });
});

function readRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}
