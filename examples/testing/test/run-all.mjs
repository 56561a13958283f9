import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** What each runner prints in its end, as the numbers of passed and of failed tests. */
const RUNNERS = {
  jest: { script: 'test:jest', passed: /^Tests:.*?(\d+) passed/m, failed: /^Tests:.*?(\d+) failed/m },
  vitest: { script: 'test:vitest', passed: /^ *Tests .*?(\d+) passed/m, failed: /^ *Tests .*?(\d+) failed/m },
  'node:test': { script: 'test:node', passed: /^(?:ℹ|#) pass (\d+)/m, failed: /^(?:ℹ|#) fail (\d+)/m },
};

/**
 * @param {string} script
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(script) {
  const { FORCE_COLOR: _, ...env } = process.env;
  const child = spawn('pnpm', ['--silent', script], { env: { ...env, NO_COLOR: '1' } });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const [name, { script, passed, failed }] of Object.entries(RUNNERS)) {
  const { code, output } = await run(script);
  const hasPassed = Number(passed.exec(output)?.[1] ?? 0);
  const hasFailed = Number(failed.exec(output)?.[1] ?? 0);
  const isGreen = code === 0 && hasFailed === 0 && hasPassed > 0;
  counts.passed += hasPassed;
  counts.failed += isGreen ? 0 : Math.max(1, hasFailed);
  process.stdout.write(isGreen ? `${name}: ${hasPassed} passed\n` : `FAIL ${name}\n${output}\n`);
}
writeFileSync('test-results.json', `${JSON.stringify(counts)}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
