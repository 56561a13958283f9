import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listProtocols } from '../generate/protocol-order.mjs';
import { ROOT, listPackages } from '../scripts/lib/workspace.mjs';
import { mustRun, npmInstall } from './npm-install.mjs';
import { pack } from './pack.mjs';
import { KIND, makePlugin, talkToPlugin } from './smoke-plugin.mjs';

/** How long a server that was told to stop may take, with room for a busy machine. */
const STOP_MS = 10_000;
const START_MS = 30_000;

/**
 * What a user does first, with the tarballs as they would be published, each time in an empty folder: embed one
 * protocol with the core (as ESM, CommonJS and TypeScript), install and start the app, and make a protocol of one's own.
 *
 * @throws {Error} with the output of the step that failed
 */
export async function smokeTest() {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-smoke-'));
  try {
    const tarballs = await packAll(join(folder, 'tarballs'));
    const [protocol] = listProtocols(ROOT);
    if (protocol === undefined) throw new Error('there is no protocol package to try');
    await tryLibrary(join(folder, 'library'), tarballs, protocol);
    const command = await tryApp(join(folder, 'app'), tarballs);
    const plugin = join(folder, 'plugin');
    await makePlugin(plugin, command, tarballs);
    const flags = ['--plugin', plugin, '--only', KIND, `--${KIND}-port=0`, '--api-port=0'];
    await startAndStop(command, folder, flags, talkToPlugin);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} destination
 * @returns {Promise<Map<string, string>>} the tarball of each published package by its name
 */
async function packAll(destination) {
  /** @type {Map<string, string>} */
  const tarballs = new Map();
  const published = listPackages().filter(
    ({ manifest, path }) => !manifest.private && !path.startsWith('examples/'),
  );
  for (const { dir, manifest } of published) {
    const folder = join(destination, manifest.name.replace('/', '-'));
    mkdirSync(folder, { recursive: true });
    await pack(dir, folder);
    tarballs.set(manifest.name, join(folder, readdirSync(folder)[0] ?? ''));
  }
  return tarballs;
}

/**
 * @param {string} folder
 * @param {Map<string, string>} tarballs
 * @param {{ kind: string, name: string }} protocol
 */
async function tryLibrary(folder, tarballs, { kind, name }) {
  await npmInstall(
    folder,
    ['@backlot/core', '@backlot/kit', name].map((wanted) => tarballs.get(wanted) ?? wanted),
  );
  const names = [kind, 'BacklotError'];
  writeFileSync(
    join(folder, 'load.mjs'),
    `import { ${names[1]} } from '@backlot/core';\nimport { Type } from '@backlot/core/plugin';\nimport { ${kind} } from '${name}';\nif (${kind}.kind !== '${kind}' || !${names[1]} || !Type) throw new Error('an export is missing');\n`,
  );
  writeFileSync(
    join(folder, 'load.cjs'),
    `const { ${names[1]} } = require('@backlot/core');\nconst { Type } = require('@backlot/core/plugin');\nconst { ${kind} } = require('${name}');\nif (${kind}.kind !== '${kind}' || !${names[1]} || !Type) throw new Error('an export is missing');\n`,
  );
  const typed = `import { ${names[1]} } from '@backlot/core';\nimport { ${kind} } from '${name}';\nexport const seen: [string, typeof ${names[1]}] = [${kind}.kind, ${names[1]}];\n`;
  writeFileSync(join(folder, 'typed.mts'), typed);
  writeFileSync(join(folder, 'typed.cts'), typed);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2023',
        strict: true,
        noEmit: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules', '@types')],
      },
      files: ['typed.mts', 'typed.cts'],
    }),
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  await mustRun('the packed packages as ESM', process.execPath, ['load.mjs'], folder);
  await mustRun('the packed packages as CommonJS', process.execPath, ['load.cjs'], folder);
  await mustRun('the packed packages as TypeScript', process.execPath, [tsc, '-p', folder], folder);
}

/**
 * @param {string} folder
 * @param {Map<string, string>} tarballs
 * @returns {Promise<string>} the installed command
 */
async function tryApp(folder, tarballs) {
  const needed = [...tarballs].filter(([name]) => name !== '@backlot/conformance').map(([, file]) => file);
  await npmInstall(folder, needed);
  const command = join(folder, 'node_modules', 'backlot', 'bin', 'backlot.js');
  const { output } = await mustRun('backlot --version', process.execPath, [command, '--version'], folder);
  if (!/^\d+\.\d+\.\d+/.test(output)) throw new Error(`backlot --version printed no version: ${output}`);

  const protocols = Object.fromEntries(listProtocols(ROOT).map(({ kind }) => [kind, { port: 0 }]));
  writeFileSync(join(folder, 'backlot.yaml'), JSON.stringify({ api: { port: 0 }, protocols }));
  await startAndStop(command, folder);
  return command;
}

/**
 * Starts the app on free ports, waits for the line that says it is ready, and stops it with SIGTERM.
 *
 * @param {string} command
 * @param {string} folder where it runs
 * @param {readonly string[]} [flags] the configuration of the folder when absent
 * @param {(urls: Record<string, string>) => Promise<void>} [use] what is done while it runs, with the urls by kind
 * @returns {Promise<void>}
 */
export function startAndStop(command, folder, flags = ['-c', 'backlot.yaml'], use = async () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, 'start', ...flags], { cwd: folder });
    let output = '';
    let isReady = false;
    let timer = setTimeout(() => fail(`is not ready after ${START_MS} ms`), START_MS);
    /** @param {string} what */
    const fail = (what) => {
      child.kill('SIGKILL');
      reject(new Error(`the packed app ${what}:\n${output}`));
    };
    /** @param {Buffer} chunk */
    const read = (chunk) => {
      output += chunk.toString('utf8');
      const [line] = /^ready\b.*\n/m.exec(output) ?? [];
      if (isReady || line === undefined) return;
      isReady = true;
      clearTimeout(timer);
      timer = setTimeout(() => fail(`does not answer within ${START_MS} ms`), START_MS);
      use(
        Object.fromEntries(
          line
            .split(' ')
            .slice(1)
            .map((pair) => pair.trim().split('=')),
        ),
      ).then(
        () => {
          clearTimeout(timer);
          timer = setTimeout(() => fail(`still runs ${STOP_MS} ms after SIGTERM`), STOP_MS);
          child.kill('SIGTERM');
        },
        (error) => fail(`does not do what it should: ${error instanceof Error ? error.message : error}`),
      );
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (isReady && code === 0) resolve();
      else fail(`ended with ${signal ?? code} ${isReady ? 'on SIGTERM, want 0' : 'before it was ready'}`);
    });
  });
}
