// Whether a cluster keeps its word in trouble: `pnpm bench cluster --seeds 10`. Five replicas and an engine on loopback, as processes, are
// killed, paused and cut off from each other while clients change, read and ask for mocks; then what they were answered is compared with what
// is there. `--writes 1000` measures instead how long changes take. Ten seeds of ten minutes each take 100 minutes; `--seeds 3..7` are those seeds,
// `--seconds` says another length, and `--pause` for how many milliseconds more each client rests after each request. The engine is another one for
// each seed, and for two of four seeds the next home begins with a copy of what clients have stored.
import { parseArgs } from 'node:util';
import { ENGINE_NAMES } from './lib/cluster-processes.mjs';
import { measureWrites } from './lib/cluster-writes.mjs';
import { runCluster } from './lib/cluster-run.mjs';

const DATA = ['empty', 'snapshot'];
const USAGE = `usage: pnpm bench cluster [--seeds 10 or 1..10] [--seed 1] [--seconds 600, 1 to 36000] [--replicas 5, 2 to 20] [--pause 0, 0 to 60000] [--writes 1000, 100 to 100000] [--engine ${ENGINE_NAMES.join(' or ')}] [--data ${DATA.join(' or ')}]`;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((each) => each !== '--'),
  options: {
    seeds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '600' },
    replicas: { type: 'string', default: '5' },
    engine: { type: 'string' },
    data: { type: 'string' },
    pause: { type: 'string', default: '0' },
    writes: { type: 'string' },
  },
});
const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(values.seeds) ?? [];
const first = Number(from ?? values.seed);
const seeds = to === undefined ? Number(values.seeds) : Number(to) - first + 1;
const [seconds, replicas, pause] = [values.seconds, values.replicas, values.pause].map(Number);
const isFit = (
  /** @type {number | undefined} */ value,
  /** @type {number} */ least,
  /** @type {number} */ most,
) => value !== undefined && Number.isFinite(value) && value >= least && value <= most;
if (
  !(
    isFit(seeds, 1, 1_000) &&
    isFit(first, 0, 2 ** 31) &&
    isFit(seconds, 1, 36_000) &&
    isFit(replicas, 2, 20) &&
    isFit(pause, 0, 60_000)
  ) ||
  (values.writes !== undefined && !isFit(Number(values.writes), 100, 100_000)) ||
  (values.engine !== undefined && !ENGINE_NAMES.includes(values.engine)) ||
  (values.data !== undefined && !DATA.includes(values.data))
) {
  console.error(USAGE);
  process.exit(1);
}
if (values.writes !== undefined) {
  console.log(`${replicas} replicas, ${values.writes} each, one after the other; milliseconds`);
  console.log('| engine | | median | p99 |\n|---|---|---:|---:|');
  for (const engine of values.engine === undefined ? ENGINE_NAMES : [values.engine])
    for (const row of await measureWrites({
      engine,
      replicas: Number(replicas),
      writes: Number(values.writes),
    }))
      console.log(`| ${engine} | ${row.what} | ${row.median.toFixed(1)} | ${row.p99.toFixed(1)} |`);
  process.exit(0);
}
let failed = 0;
for (let index = 0; index < Number(seeds); index += 1) {
  const seed = Number(first) + index;
  const engine = values.engine ?? ENGINE_NAMES[seed % ENGINE_NAMES.length] ?? '';
  const data = values.data ?? DATA[(seed >> 1) % DATA.length] ?? '';
  let problems;
  let checked = '';
  try {
    const done = await runCluster({
      ...{ seed, seconds: Number(seconds), engine, data },
      ...{ replicas: Number(replicas), pause: Number(pause) },
    });
    ({ problems, checked } = done);
    console.log(
      `seed ${seed}, ${engine}, the next home begins ${data === 'empty' ? 'with the configuration' : 'with a copy'}, ${seconds} s: ${done.requests} requests, ${JSON.stringify(done.troubles)}\n  ${JSON.stringify(done.statuses)}`,
    );
  } catch (thrown) {
    problems = [thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)];
  }
  if (problems.length === 0) console.log(`seed ${seed} holds: ${checked}`);
  else {
    failed += 1;
    console.log(`seed ${seed} FAILED:\n${problems.slice(0, 20).join('\n')}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
