import { existsSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { install, turbo } from './lib/install.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { clearCounts, formatCounts, formatFileTimes, formatTimes, readCounts } from '../presets/results.mjs';
import { run } from './lib/run.mjs';
import { tryAgain } from './lib/second-try.mjs';
import { together } from './lib/together.mjs';
import { ROOT, listPackages } from './lib/workspace.mjs';

/**
 * A step before the tests: it is silent when it passes, prints what went wrong and counts as one failure otherwise.
 *
 * @typedef {object} Stage
 * @property {string} name
 * @property {() => Promise<import('./lib/run.mjs').Ended>} run
 * @property {boolean} [needsBuild] left out when the build failed, whose report would only be repeated
 */

stopWithNpm();
const env = await prepareEnvironment();

/**
 * @param {string} script a script of this folder
 * @param {...string} args
 */
const script = (script, ...args) =>
  run(process.execPath, [join(import.meta.dirname, script), ...args], { cwd: ROOT, env, capture: true });

/** The package whose tests take longest, half of them all: it starts the command, packs everything and installs it. */
const LONGEST = 'backlot';

/** Packages whose types are not those of the others: plain JavaScript, and what sees the packages as users do. */
const TYPED_ALONE = ['@backlot/tooling', 'example-testing', 'backlot-site'];

/**
 * The types of everything: one program for all packages, which checks what they share once, and the rest by itself.
 *
 * @returns {Promise<import('./lib/run.mjs').Ended>}
 */
async function checkTypes() {
  const all = await run('tsc', ['-p', 'tsconfig.all.json'], { cwd: ROOT, env, capture: true });
  const filters = TYPED_ALONE.map((name) => `--filter=${name}`);
  const alone = await turbo(env, 'typecheck', '--continue=always', '--only', ...filters);
  return { code: all.code || alone.code, output: all.output + alone.output };
}

/**
 * What uses all processors by itself, and much memory: one after the other. Beside each other they take longer than in turn.
 *
 * @type {Stage[]}
 */
const wideStages = [
  {
    name: 'lint',
    run: () => run('oxlint', [], { cwd: ROOT, env, capture: true }),
    needsBuild: true,
  },
  { name: 'types', run: checkTypes },
];

/**
 * The longest first, as many side by side as there are processors, so that at the end none stands idle beside a long one.
 *
 * @type {Stage[]}
 */
const stages = [
  { name: 'packages', run: () => script('check.mjs', 'packed'), needsBuild: true },
  { name: 'generated files', run: () => script('generate.mjs', '--check'), needsBuild: true },
  {
    name: 'format',
    run: () =>
      run('prettier', ['--check', '--cache', '--log-level=warn', '.'], { cwd: ROOT, env, capture: true }),
  },
  { name: 'unused code', run: () => script('check.mjs', 'unused') },
  { name: 'shared runs', run: () => script('check.mjs', 'shared-runs') },
  { name: 'protocol names', run: () => script('check.mjs', 'protocol-names') },
  { name: 'platform', run: () => script('check.mjs', 'platform') },
  { name: 'file roles', run: () => script('check.mjs', 'file-roles') },
  { name: 'circles', run: () => script('check.mjs', 'circles') },
  { name: 'imports', run: () => script('check.mjs', 'imports') },
  { name: 'manifests', run: () => script('check.mjs', 'manifests') },
];

/** The engine of the cluster that is tried. */
const ENGINE = 'nats-server';

/**
 * A cluster in trouble for two minutes: its processes mostly wait, so that it runs beside all else and takes no place of it.
 *
 * @type {Stage}
 */
const CLUSTER = {
  name: 'a cluster in trouble',
  run: () => {
    const args = ['--seconds', '120', '--pause', '400', '--seed', '2', '--engine', ENGINE];
    return run(process.execPath, [join(ROOT, 'apps/backlot/bench/cluster.mjs'), ...args], {
      ...{ cwd: ROOT, env, capture: true },
    });
  },
};

/** Whether a program is installed. @param {string} name */
function isInstalled(name) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

/** Tries the cluster where its engine is installed, or must be. */
async function tryCluster() {
  if (isInstalled(ENGINE) || process.env['BACKLOT_REQUIRE_TOOLS'] === '1') await runStage(CLUSTER);
  else {
    print(`left out: ${CLUSTER.name} (${ENGINE} is not installed)`);
    total.skipped += 1;
  }
}

const total = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {Stage} stage
 * @returns {Promise<boolean>} whether it passed
 */
async function runStage(stage) {
  const started = performance.now();
  const { code, output } = await stage.run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) {
    print(`ok    ${stage.name} (${seconds} s)`);
    return true;
  }
  print(`FAIL  ${stage.name} (${seconds} s)\n${output.trimEnd()}\n`);
  total.failed += 1;
  return false;
}

/**
 * What is said of tasks beside the tests of a package.
 *
 * @type {Record<string, string | undefined>}
 */
const ASIDE = { smoke: ' (packed)', 'test:docs': ' (docs)' };

/** @param {boolean} isBuilt without a build there is nothing to pack and install */
async function runTests(isBuilt) {
  /** @type {['test', ...('test:docs' | 'smoke')[]]} */
  const tasks = isBuilt ? ['test', 'test:docs', 'smoke'] : ['test', 'test:docs'];
  const tested = tasks.flatMap((task) =>
    listPackages()
      .filter(({ manifest }) => manifest.scripts?.[task] !== undefined)
      .map(({ dir, manifest }) => ({
        dir,
        task,
        name: `${manifest.name}${ASIDE[task] ?? ''}`,
      })),
  );
  for (const { dir, task } of tested) clearCounts(dir, task);
  // Tests run against what was built of other packages: it loads in half of the time, and is what ships.
  const testEnv = isBuilt ? { ...env, BACKLOT_TEST_BUILT: '1' } : env;
  // The two longest lanes begin at once and end at much the same time, and beside them run as many others as there are processors: each
  // waits for clients and clocks a fifth of its time, and at the end no processor stands idle beside the last of them.
  const [first, ...aside] = tasks;
  const runs = await Promise.all([
    turbo(testEnv, first, '--continue=always', `--filter=${LONGEST}`),
    turbo(testEnv, ...aside, '--continue=always', '--concurrency=1', `--filter=${LONGEST}`),
    turbo(testEnv, ...tasks, '--continue=always', `--filter=!${LONGEST}`),
  ]);
  for (const { code, output } of runs) if (code !== 0) print(output.trimEnd());

  const before = total.failed;
  /** @type {import('./lib/second-try.mjs').Failed[]} */
  const failed = [];
  /** @type {import('../presets/results.mjs').FileTime[]} */
  const files = [];
  for (const { dir, task, name } of tested) {
    const counts = readCounts(dir, task);
    if (counts === undefined) {
      print(`FAIL  ${name}: no test results`);
      total.failed += 1;
      continue;
    }
    const times = formatTimes(counts);
    const result = `${name}: ${formatCounts(counts)}${times === '' ? '' : ` (${times})`}`;
    print(`${counts.failed === 0 ? 'ok   ' : 'FAIL '} ${result}`);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    for (const { file, worked } of counts.files ?? [])
      files.push({ file: relative(ROOT, join(dir, file)), worked });
    if (counts.failed > 0) failed.push({ dir, task, name, counts });
  }
  if (runs.some(({ code }) => code !== 0) && total.failed === before) total.failed += 1;
  if (process.env['BACKLOT_TEST_TIMES'] === '1') print(formatFileTimes(files));
  if (failed.length > 0) await reportFailures(failed, testEnv);
}

/**
 * Names what has failed once more, where it is found, below everything; and what passes when it has the machine for itself.
 *
 * @param {readonly import('./lib/second-try.mjs').Failed[]} failed
 * @param {NodeJS.ProcessEnv} testEnv in which they have failed
 */
async function reportFailures(failed, testEnv) {
  const passed = await tryAgain(failed, testEnv);
  for (const one of failed) {
    for (const failure of one.counts.failures ?? []) {
      const isUnsteady = passed.get(one)?.includes(failure) ?? false;
      const verdict = isUnsteady ? 'UNSTEADY (passes when it runs alone)' : 'FAIL ';
      print(`${verdict} ${one.name} ${failure.file}: ${failure.name}: ${failure.reason}`);
      if (!isUnsteady) continue;
      total.failed -= 1;
      total.passed += 1;
    }
  }
}

/** @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`);
}

if (await runStage({ name: 'install', run: () => install(env) })) {
  const built = await runStage({ name: 'build', run: () => turbo(env, 'build', '--continue=always') });
  const cluster = built ? tryCluster() : undefined;
  /** @param {Stage} stage */
  const runWhereBuilt = async (stage) => {
    if (built || !stage.needsBuild) await runStage(stage);
    else print(`left out: ${stage.name} (the build failed)`);
  };
  for (const stage of wideStages) await runWhereBuilt(stage);
  await together(stages.map((stage) => () => runWhereBuilt(stage)));
  if (!built) print('left out: packed (the build failed)');
  await runTests(built);
  await cluster;
}
print(formatCounts(total));
process.exitCode = total.failed === 0 ? 0 : 1;
