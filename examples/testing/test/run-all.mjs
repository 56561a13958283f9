import { writeFileSync } from 'node:fs';
import { run } from './run.mjs';
import { runShared } from './shared/run-shared.mjs';

/** What each runner prints in its end, as the numbers of passed and of failed tests. */
const RUNNERS = {
  jest: { script: 'test:jest', passed: /^Tests:.*?(\d+) passed/m, failed: /^Tests:.*?(\d+) failed/m },
  vitest: { script: 'test:vitest', passed: /^ *Tests .*?(\d+) passed/m, failed: /^ *Tests .*?(\d+) failed/m },
  'node:test': { script: 'test:node', passed: /^(?:ℹ|#) pass (\d+)/m, failed: /^(?:ℹ|#) fail (\d+)/m },
};

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const [name, { script, passed, failed }] of Object.entries(RUNNERS)) {
  const { code, output } = await run('pnpm', ['--silent', script]);
  const hasPassed = Number(passed.exec(output)?.[1] ?? 0);
  const hasFailed = Number(failed.exec(output)?.[1] ?? 0);
  const isGreen = code === 0 && hasFailed === 0 && hasPassed > 0;
  counts.passed += hasPassed;
  counts.failed += isGreen ? 0 : Math.max(1, hasFailed);
  process.stdout.write(isGreen ? `${name}: ${hasPassed} passed\n` : `FAIL ${name}\n${output}\n`);
}
const { passed, failures } = await runShared();
counts.passed += passed;
counts.failed += failures.length;
process.stdout.write(
  failures.length === 0
    ? `runners side by side at one server: ${passed} passed\n`
    : `FAIL runners side by side at one server\n${failures.join('\n')}\n`,
);
writeFileSync('test-results.json', `${JSON.stringify(counts)}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
