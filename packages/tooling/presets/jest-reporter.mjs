import { relative } from 'node:path';
import { formatCounts, formatFileTimes, formatReason, writeCounts } from './results.mjs';
import { workedTime } from './standstill.mjs';

/** How long a finished run may stay alive before its open sockets and timers count as a failure. */
const LINGER_MS = 5000;

/**
 * One line for a package that is green, the whole failure otherwise; the counts go where `npm test` sums them up.
 * Output of the tests themselves counts as a failure, and so does a socket or timer that is left open.
 */
export default class ShortReporter {
  /** @type {string[]} */
  #noisyFiles = [];
  /** @type {import('./results.mjs').Failure[]} */
  #failures = [];
  /** @type {import('./results.mjs').Counts} */
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #rootDir;
  #task;
  #isPart;
  #isWatching;
  /** Processor time of each file, and what had been used when the last one ended. @type {import('./results.mjs').FileTime[]} */
  #times = [];
  #workedBefore = 0;

  /**
   * @param {import('@jest/reporters').Config.GlobalConfig} globalConfig
   * @param {{ task?: keyof typeof import('./results.mjs').RESULTS }} [options]
   */
  constructor(globalConfig, { task = 'test' } = {}) {
    this.#rootDir = globalConfig.rootDir;
    this.#task = task;
    // With `-t NAME` the other tests are left out on purpose.
    this.#isPart = globalConfig.testNamePattern !== undefined && globalConfig.testNamePattern !== '';
    this.#isWatching = globalConfig.watch || globalConfig.watchAll;
  }

  /**
   * @param {import('@jest/reporters').Test} test
   * @param {import('@jest/reporters').TestResult} result
   */
  onTestResult(test, result) {
    const file = relative(this.#rootDir, test.path);
    const worked = workedTime() / 1000;
    this.#times.push({ file, worked: worked - this.#workedBefore });
    this.#workedBefore = worked;
    if (result.failureMessage) print(`FAIL ${file}\n${result.failureMessage}`);
    if (result.testExecError !== undefined)
      this.#failures.push({
        file,
        name: 'cannot run',
        reason: formatReason(result.failureMessage ?? ''),
        isWhole: true,
      });
    for (const { status, fullName, failureMessages } of result.testResults) {
      if (status === 'failed')
        this.#failures.push({ file, name: fullName, reason: formatReason(failureMessages.join(' ')) });
      if (this.#isPart && status === 'passed') print(`ok    ${fullName} (${file})`);
      if (!this.#isPart && (status === 'pending' || status === 'todo'))
        print(`skipped: ${fullName} (${file})`);
    }
    if (result.console !== undefined && result.console.length > 0) {
      this.#noisyFiles.push(file);
      const lines = result.console.map(({ type, message }) => `  console.${type}: ${message}`);
      this.#failures.push({
        file,
        name: 'writes to the console',
        reason: formatReason(lines.join(' ')),
        isWhole: true,
      });
      print(`FAIL ${file} writes to the console; a test must be silent:\n${lines.join('\n')}`);
    }
  }

  /**
   * @param {unknown} _contexts
   * @param {import('@jest/reporters').AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    const seconds = (performance.timeOrigin + performance.now() - results.startTime) / 1000;
    this.#counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites + this.#noisyFiles.length,
      skipped: this.#isPart ? 0 : results.numPendingTests + results.numTodoTests,
      seconds,
      worked: workedTime() / 1000,
      failures: this.#failures,
      files: this.#times,
    };
    // In a run that watches, a file that is written would be a change that starts the next one.
    if (!this.#isWatching) writeCounts(this.#rootDir, this.#counts, this.#task);
    if (process.env.BACKLOT_TEST_TIMES === '1') print(formatFileTimes(this.#times));
    print(`${formatCounts(this.#counts)} (${seconds.toFixed(1)} s)`);
    // A run that watches goes on for as long as somebody works.
    if (!this.#isWatching) setTimeout(() => this.#failForOpenHandles(), LINGER_MS).unref();
  }

  /** Jest ends with an error code when a reporter has an error. */
  getLastError() {
    const files = this.#noisyFiles.join(', ');
    return files === '' ? undefined : new Error(`these tests write to the console: ${files}`);
  }

  #failForOpenHandles() {
    const open = process
      .getActiveResourcesInfo()
      .filter((kind) => !/^(TTYWrap|PipeWrap|FSReqCallback)$/.test(kind));
    const after = `${LINGER_MS / 1000} s after the last test`;
    print(`FAIL still open ${after}: ${open.join(', ')}; close every server, socket and timer`);
    this.#failures.push({ file: '', name: `still open ${after}`, reason: open.join(', ') });
    this.#counts.failed += 1;
    writeCounts(this.#rootDir, this.#counts, this.#task);
    process.exit(1);
  }
}

/** @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`);
}
