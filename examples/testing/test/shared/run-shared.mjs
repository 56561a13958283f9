import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';
import { redis } from '@backlot/redis';
import { run } from '../run.mjs';

/** The client for Python, which brings a fixture for pytest. */
const PYTHON = fileURLToPath(new URL('../../../../clients/python/src', import.meta.url));
/** Tests of the three files, which each runner of JavaScript finds. */
const OF_JAVASCRIPT = 12;
const OF_PYTHON = 6;

const SYSTEM_PYTHON = '/usr/bin/python3';
const FILES = ['one', 'two', 'three'].map((name) => `test/shared/${name}.test.mjs`);
const BIN = 'node_modules';
const PYTEST = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'backlot.pytest_plugin', 'test/shared'];

/** Each runner with two workers; pytest as two processes, which is what its plugins for that start. */
const RUNNERS = [
  {
    program: process.execPath,
    args: [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', `${BIN}/jest/bin/jest.js`],
      ...['--config', 'test/shared/jest.config.mjs'],
    ],
    passed: OF_JAVASCRIPT,
    says: /^Tests: +(\d+) passed/m,
  },
  {
    program: process.execPath,
    args: [`${BIN}/vitest/vitest.mjs`, 'run', '--config', 'test/shared/vitest.config.mjs'],
    passed: OF_JAVASCRIPT,
    says: /^ *Tests +(\d+) passed/m,
  },
  {
    program: process.execPath,
    args: ['--import', './test/shared/node-globals.mjs', '--test', '--test-concurrency=2', ...FILES],
    passed: OF_JAVASCRIPT,
    says: /^(?:ℹ|#) pass (\d+)/m,
  },
  ...(hasPytest() ? [1, 2] : []).map(() => ({
    program: SYSTEM_PYTHON,
    args: PYTEST,
    passed: OF_PYTHON,
    says: /^(\d+) passed/m,
  })),
];

/** Where pytest is not installed it is left out, unless CI says that nothing may be. */
function hasPytest() {
  const isThere = spawnSync(SYSTEM_PYTHON, ['-c', 'import pytest']).status === 0;
  return isThere || process.env['BACKLOT_REQUIRE_TOOLS'] === '1';
}

/**
 * Runs all runners at once against one server. None of their tests may see anything of another, and nothing may be left.
 *
 * @returns {Promise<{ passed: number, failures: string[] }>}
 */
export async function runShared() {
  const host = await createHost({ protocols: [http, redis], host: '127.0.0.1' });
  await host.start();
  const server = createManagementServer(host);
  await /** @type {Promise<void>} */ (
    new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  );
  let most = 0;
  host.spaces.onMade(() => (most = Math.max(most, host.spaces.size)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const env = {
    BACKLOT_URL: `http://127.0.0.1:${port}`,
    SHARED_HTTP_URL: String(host.kind('http').url),
    PYTHONPATH: PYTHON,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const ends = await Promise.all(RUNNERS.map(({ program, args }) => run(program, args, env)));
  const failures = ends.flatMap(({ code, output }, index) => {
    const runner = RUNNERS[index];
    const passed = Number(runner?.says.exec(output)?.[1] ?? 0);
    return code === 0 && passed === runner?.passed ? [] : [output];
  });
  const left = { spaces: host.spaces.size, entries: host.journal.count().count };
  if (left.spaces > 0 || left.entries > 0) failures.push(`left at the server: ${JSON.stringify(left)}`);
  if (most < 2)
    failures.push(`never more than ${most} spaces at once: the runners have not run side by side`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await host.stop(0);
  return { passed: RUNNERS.reduce((sum, { passed }) => sum + passed, 0), failures };
}
