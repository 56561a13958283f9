import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pack } from '../packed/pack.mjs';
import { readTarballs } from '../packed/tarball.mjs';
import { addressOf, pageOf, readPage } from '../release/address.mjs';
import { publishAll } from '../release/publish.mjs';
import { makeVersions } from '../release/version.mjs';
import { run } from '../scripts/lib/run.mjs';
import { ROOT } from '../scripts/lib/workspace.mjs';

/** @type {string} */
let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backlot-release-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} file relative to the test's folder
 * @param {unknown} content
 */
function write(file, content) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(
    join(folder, file),
    typeof content === 'string' ? content : JSON.stringify(content, undefined, 2),
  );
}

describe('the address of a package', () => {
  it.each([
    'git@github.com:owner/name.git',
    'https://github.com/owner/name.git',
    'https://someone:secret@github.com/owner/name',
    'ssh://git@github.com:22/owner/name.git',
    'git://github.com/owner/name.git/',
  ])('is that of the remote: %s', (remote) => {
    expect(pageOf(remote)).toBe('https://github.com/owner/name');
  });

  it('keeps groups of groups', () => {
    expect(pageOf('git@gitlab.com:group/part/name.git')).toBe('https://gitlab.com/group/part/name');
  });

  it.each(['/srv/name.git', 'file:///srv/name.git', '../name', ''])(
    'is not made up: %s is refused',
    (remote) => {
      expect(() => pageOf(remote)).toThrow(`"${remote}", which is no address on the web`);
    },
  );

  it('is read from git, and its absence says what to do', async () => {
    const checkout = join(folder, 'checkout');
    mkdirSync(checkout);
    await run('git', ['init', '-q', '.'], { cwd: checkout });
    await expect(readPage(checkout)).rejects.toThrow('git remote add origin <url>');
    await run('git', ['remote', 'add', 'origin', 'git@example.com:a/b.git'], { cwd: checkout });
    expect(await readPage(checkout)).toBe('https://example.com/a/b');
  });
});

/**
 * What a registry is sent, by npm's own protocol.
 *
 * @typedef {{ name: string, 'dist-tags': Record<string, string>, versions: Record<string, any>, _attachments: Record<string, any> }} Sent
 */

/**
 * A registry that has nothing and keeps what is published.
 *
 * @param {Map<string, Sent>} packages
 * @returns {Promise<{ port: number, close: () => void }>}
 */
async function startEmptyRegistry(packages) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    const answer = (/** @type {number} */ status, /** @type {unknown} */ body) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.method !== 'PUT') {
      const found = packages.get(name);
      if (found === undefined) answer(404, { error: 'not_found' });
      else answer(200, found);
      return;
    }
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      packages.set(name, JSON.parse(Buffer.concat(chunks).toString('utf8')));
      answer(201, { ok: true });
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

it('publishes with npm what the registry does not have, the app last, and nothing when dry', async () => {
  const source = { version: '1.2.3', type: 'module', files: ['dist'], license: 'MIT' };
  for (const name of ['app', '@backlot/a']) {
    write(`packages/${name}/package.json`, { name, ...source });
    write(`packages/${name}/dist/index.js`, 'export const a = 1;\n');
    write(`packages/${name}/README.md`, '# It\n');
    await pack(join(folder, 'packages', name), join(folder, 'tarballs'));
  }
  /** @type {Map<string, Sent>} */
  const packages = new Map();
  const { port, close } = await startEmptyRegistry(packages);
  try {
    write('npmrc', `//127.0.0.1:${port}/:_authToken=token\n`);
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_cache: join(folder, 'cache'),
      npm_config_provenance: 'false',
      npm_config_update_notifier: 'false',
    };
    /** @type {string[]} */
    const told = [];
    const publishing = {
      tarballs: readTarballs(join(folder, 'tarballs')),
      paths: new Map([
        ['app', 'apps/app'],
        ['@backlot/a', 'packages/a'],
      ]),
      page: 'https://example.com/o/n',
      env,
      tell: (/** @type {string} */ line) => void told.push(line),
    };
    await publishAll({ ...publishing, isDry: true });
    expect(packages.size).toBe(0);
    expect(await publishAll({ ...publishing, isDry: false })).toEqual(['@backlot/a@1.2.3', 'app@1.2.3']);
    expect([...packages.keys()]).toEqual(['@backlot/a', 'app']);
    const sent = packages.get('@backlot/a');
    expect(sent?.versions['1.2.3']).toMatchObject({
      repository: { type: 'git', url: 'git+https://example.com/o/n.git', directory: 'packages/a' },
      bugs: { url: 'https://example.com/o/n/issues' },
      homepage: 'https://example.com/o/n/tree/main/packages/a#readme',
    });
    const [attachment] = Object.values(sent?._attachments ?? {});
    const content = gunzipSync(Buffer.from(attachment.data, 'base64')).toString('latin1');
    expect(content).toContain('export const a = 1;');
    expect(content).toContain('https://example.com/o/n/issues');
    expect(await publishAll({ ...publishing, isDry: false })).toEqual([]);
    expect(told).toEqual([
      'would publish @backlot/a@1.2.3',
      'would publish app@1.2.3',
      'published @backlot/a@1.2.3',
      'published app@1.2.3',
      '@backlot/a@1.2.3 is there already',
      'app@1.2.3 is there already',
    ]);
  } finally {
    close();
  }
});

it('has an address for every package', () => {
  expect(addressOf('https://h/o/n', 'packages/core').repository.directory).toBe('packages/core');
});

it('gives all packages the version that the changesets ask for, and each a changelog', async () => {
  const root = join(folder, 'workspace');
  write('workspace/package.json', { name: 'root', private: true });
  write('workspace/pnpm-workspace.yaml', 'packages:\n  - packages/*\n');
  mkdirSync(join(root, '.changeset'));
  cpSync(join(ROOT, '.changeset', 'config.json'), join(root, '.changeset', 'config.json'));
  const core = { name: '@backlot/core', version: '0.1.0' };
  write('workspace/packages/core/package.json', core);
  write('workspace/packages/redis/package.json', {
    ...{ name: '@backlot/redis', version: '0.1.0' },
    peerDependencies: { '@backlot/core': 'workspace:^' },
    devDependencies: { '@backlot/core': 'workspace:*' },
  });
  write('workspace/packages/backlot/package.json', {
    ...{ name: 'backlot', version: '0.1.0' },
    dependencies: { '@backlot/core': 'workspace:*', '@backlot/redis': 'workspace:*' },
  });
  const git = (/** @type {string[]} */ ...args) => run('git', args, { cwd: root, capture: true });
  await git('init', '-q', '-b', 'main', '.');
  await git('add', '-A');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'a');
  const require = createRequire(join(ROOT, 'package.json'));
  const changeset = join(dirname(require.resolve('@changesets/cli/package.json')), 'bin.js');
  const read = (/** @type {string} */ name) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));

  write('workspace/.changeset/one.md', "---\n'@backlot/core': minor\n---\n\nSomething new.\n");
  await makeVersions(root, changeset);
  expect(['core', 'redis', 'backlot'].map((name) => read(name).version)).toEqual(['0.2.0', '0.2.0', '0.2.0']);
  expect(read('redis').peerDependencies).toEqual({ '@backlot/core': 'workspace:^' });
  expect(readFileSync(join(root, 'packages', 'core', 'CHANGELOG.md'), 'utf8')).toContain('Something new.');
  expect(readdirSync(join(root, '.changeset'))).toEqual(['config.json']);

  write('workspace/.changeset/two.md', "---\n'backlot': major\n---\n\nStable.\n");
  await makeVersions(root, changeset);
  expect(['core', 'redis', 'backlot'].map((name) => read(name).version)).toEqual(['1.0.0', '1.0.0', '1.0.0']);

  write('workspace/.changeset/three.md', "---\n'nothing': minor\n---\n\nOf nobody.\n");
  await expect(makeVersions(root, changeset)).rejects.toThrow('changeset version failed');
  expect(read('redis').peerDependencies).toEqual({ '@backlot/core': 'workspace:^' });
});
