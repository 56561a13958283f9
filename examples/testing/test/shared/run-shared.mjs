import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';
import { redis } from '@backlot/redis';
import { run } from '../run.mjs';

/** The client for Python, which brings a fixture for pytest. */
const PYTHON = fileURLToPath(new URL('../../../../clients/python/src', import.meta.url));
/** Tests of the two files, which each runner of JavaScript finds: one file for each of its workers. */
const OF_JAVASCRIPT = 4;
const OF_PYTHON = 2;

const SYSTEM_PYTHON = '/usr/bin/python3';
const FILES = ['one', 'two'].map((name) => `test/shared/${name}.test.mjs`);
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
  const server = createManagementServer(host);
  try {
    await host.start();
    await /** @type {Promise<void>} */ (
      new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    );
    let most = 0;
    host.spaces.onMade(() => (most = Math.max(most, host.spaces.size)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const counts = await runAll({
      BACKLOT_URL: `http://127.0.0.1:${port}`,
      SHARED_HTTP_URL: String(host.kind('http').url),
      PYTHONPATH: PYTHON,
      PYTHONDONTWRITEBYTECODE: '1',
    });
    const failures = [...counts.failures];
    const left = { spaces: host.spaces.size, entries: host.journal.count().count };
    if (left.spaces > 0 || left.entries > 0) failures.push(`left at the server: ${JSON.stringify(left)}`);
    if (most < 2)
      failures.push(`never more than ${most} spaces at once: the runners have not run side by side`);
    return { passed: counts.passed, failures };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await host.stop(0);
  }
}

/**
 * Resolves when all have ended, also where one cannot be started.
 *
 * @param {Readonly<Record<string, string>>} env
 */
async function runAll(env) {
  const ends = await Promise.allSettled(RUNNERS.map(({ program, args }) => run(program, args, env)));
  let passed = 0;
  /** @type {string[]} */
  const failures = [];
  for (const [index, end] of ends.entries()) {
    const runner = RUNNERS[index];
    if (end.status === 'rejected') {
      failures.push(`${runner?.program} cannot be started: ${end.reason}`);
      continue;
    }
    const { code, output } = end.value;
    const found = Number(runner?.says.exec(output)?.[1] ?? 0);
    passed += found;
    if (code !== 0 || found !== runner?.passed) failures.push(output);
  }
  return { passed, failures };
}
