import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';
import { OtherLoad } from './other-load.mjs';
import { profileInto } from './profile.mjs';
import { TICK, ticksOf } from './process-time.mjs';

const ROLE = 'server:';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WARM_UP = 300;

/**
 * One server under one load.
 *
 * @typedef {object} Case
 * @property {string} label - the first cell of its row
 * @property {string} [server] - one of `servers`, by name; cases that name the same share its process
 * @property {number} [port] - of a server that was started otherwise
 * @property {import('node:child_process').ChildProcess} [child] - the process of such a server; without it its processor time is not
 * known
 * @property {() => unknown} [stop] - ends such a server; by default its process is killed
 * @property {string} [of] - the label of the case that it is compared with; by default that of the whole comparison
 */

/**
 * How many units were done: in the time that was given, or in the milliseconds that are told.
 *
 * @typedef {number | { count: number, milliseconds: number }} Done
 */

/**
 * Measures servers against each other and prints a table. They are processes of their own: the file that calls this is started
 * once more for each of them. Cases take turns, forwards and backwards, since what else the machine does changes; what is said
 * of two of them is the median over rounds of what one did in a round of what the other did in the same. What was measured while the machine
 * did much else is measured again.
 *
 * `BENCH_ROUNDS` and `BENCH_SECONDS` in the environment set how often and for how long, and `BENCH_CASES` and `BENCH_LOADS`, regular
 * expressions, which labels and which loads are measured. `BENCH_BESIDE`, another checkout of this repository that is built, has its servers measured in turn with these;
 * `by it` and the least that a round took are what tells of both then, and nothing is measured again for what else goes on. `BENCH_PROFILE` is a folder for profiles of
 * the processor time of each server, which `node packages/tooling/scripts/profile.mjs FILE` sums up.
 *
 * @param {string} file - `import.meta.url` of the caller
 * @param {object} bench
 * @param {string} bench.name
 * @param {string} bench.unit - what is counted, in the singular
 * @param {Record<string, () => number | Promise<number>>} bench.servers - each starts one and gives its port
 * @param {readonly Case[]} bench.cases
 * @param {(folder: string) => Promise<readonly (Case | undefined)[]>} [bench.others] - starts servers that are no plugin's, those that are
 * installed; the folder is removed at the end
 * @param {string} [bench.base] - the label of the case that all are compared with, where it is there; by default the first
 * @param {((one: any, milliseconds: number) => Promise<Done>) | Record<string, (one: any, milliseconds: number) => Promise<Done>>} bench.load -
 * one way to load a case, or several by name, each of which has a table
 * @param {readonly { what: string, of: string, least?: number, goal?: number, load?: string }[]} [bench.ratios] - labels of cases to
 * compare besides, under one load where several have names; below `least` the process ends with 1, and `goal` is shown beside
 * @param {(of: (label: string) => { rates: number[], costs: number[] } | undefined) => void} [bench.report] - prints more; a case that
 * `BENCH_CASES` leaves out has nothing
 */
export async function compareServers(file, bench) {
  const role = process.argv.find((argument) => argument.startsWith(ROLE))?.slice(ROLE.length);
  if (role !== undefined) return serve(bench.servers[role], bench.name, role);
  const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
  const milliseconds = Number(process.env.BENCH_SECONDS ?? 1) * 1000;
  const folder = mkdtempSync(join(tmpdir(), 'backlot-bench-'));
  /** @type {(() => unknown)[]} */
  const stops = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const cases = await startCases(file, bench, folder, stops);
    const { BENCH_LOADS = '' } = process.env;
    const loads = Object.fromEntries(
      Object.entries(typeof bench.load === 'function' ? { '': bench.load } : bench.load).filter(([name]) =>
        new RegExp(BENCH_LOADS).test(name),
      ),
    );
    const children = cases.map(({ child }) => child?.pid);
    // What a server of unknown processes does would be taken for something else.
    const other = new OtherLoad(
      process.env.BENCH_BESIDE === undefined && children.every((pid) => pid !== undefined)
        ? [...new Set(children)]
        : undefined,
    );
    for (const load of Object.values(loads)) for (const each of cases) await load(each, WARM_UP);
    for (let round = 0; round < rounds; round += 1) {
      for (const [way, load] of Object.entries(loads)) {
        for (const each of round % 2 === 0 ? cases : cases.toReversed()) {
          const { rate, cost } = await other.beside(() => measure(each, load, milliseconds));
          const { rates, costs } = (each.results[way] ??= { rates: [], costs: [] });
          rates.push(rate);
          costs.push(cost);
        }
      }
    }
    for (const way of Object.keys(loads)) report(bench, way, cases);
    if (other.summary !== undefined) console.log(`${other.summary}\n`);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Runs as a child process: serves, tells its port and, when asked, the processor time that it has used. */
async function serve(start, name, role) {
  const { BENCH_PROFILE: profiles } = process.env;
  if (profiles !== undefined) profileInto(join(profiles, `${name}-${role}.cpuprofile`));
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
  process.send?.({ port: await start() });
}

async function startCases(file, { servers, cases, others }, folder, stops) {
  const { BENCH_CASES, BENCH_BESIDE } = process.env;
  const wanted = cases.filter(
    ({ label }) => BENCH_CASES === undefined || new RegExp(BENCH_CASES).test(label),
  );
  const started = new Map();
  const own = fileURLToPath(file);
  const start = async (name, path = own) => {
    const key = `${path}:${name}`;
    if (started.has(key)) return started.get(key);
    if (servers[name] === undefined) throw new Error(`there is no server "${name}"`);
    const child = fork(path, [`${ROLE}${name}`]);
    stops.push(() => end(child));
    const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (typeof told?.port !== 'number') throw new Error(`the server "${name}" did not start`);
    started.set(key, { child, port: told.port });
    return started.get(key);
  };
  const all = [];
  for (const each of wanted) {
    all.push({ ...(await start(each.server)), ...each });
    if (BENCH_BESIDE === undefined) continue;
    const other = join(BENCH_BESIDE, relative(ROOT, own));
    const label = `${each.label}, beside`;
    all.push({ ...(await start(each.server, other)), ...each, label, of: each.label });
  }
  const foreign = ((await others?.(folder)) ?? []).filter((each) => each !== undefined);
  stops.push(...foreign.map(({ child, stop = () => end(child) }) => stop));
  return [...all, ...foreign].map((each) => ({ ...each, results: {} }));
}

/** Ends a process, and waits until it has. */
async function end(child) {
  const ended = child.exitCode === null ? once(child, 'exit') : undefined;
  child.kill();
  await ended;
}

async function measure(each, load, milliseconds) {
  const before = await usedBy(each.child);
  const began = performance.now();
  const done = await load(each, milliseconds);
  const elapsed = performance.now() - began;
  const used = (await usedBy(each.child)) - before;
  const { count, milliseconds: took } =
    typeof done === 'number' ? { count: done, milliseconds: elapsed } : done;
  return { rate: (count / took) * 1000, cost: used / count };
}

/** The microseconds of processor time that a process has used. */
async function usedBy(child) {
  if (child === undefined) return Number.NaN;
  if (child.connected === true) {
    child.send('cpu');
    const [{ cpu }] = await once(child, 'message');
    return cpu.user + cpu.system;
  }
  try {
    return ticksOf(child.pid) * TICK * 1000;
  } catch {
    return Number.NaN;
  }
}

function report({ name, unit, base, ratios = [], report: more }, way, cases) {
  const [first] = cases;
  const basis = cases.find(({ label }) => label === base) ?? first;
  const of = (label) => cases.find((each) => each.label === label);
  const compare = (one, other) =>
    median(one.results[way].rates.map((rate, round) => rate / other.results[way].rates[round]));
  const compareCosts = (one, other) =>
    median(other.results[way].costs.map((cost, round) => cost / one.results[way].costs[round]));
  const title = way === '' ? name : `${name}, ${way}`;
  console.log(
    `| ${title} | ${unit}s/s | compared | server CPU per ${unit} | by it |\n| --- | ---: | ---: | ---: | ---: |`,
  );
  for (const each of cases) {
    const { rates, costs } = each.results[way];
    const other = each.of === undefined ? basis : (of(each.of) ?? each);
    const compared = other === each ? '' : `${compare(each, other).toFixed(2)} of ${other.label}`;
    const cost = median(costs);
    const shown = Number.isNaN(cost) ? '' : `${cost.toFixed(2)} us`;
    const byCost = other === each ? Number.NaN : compareCosts(each, other);
    const rate = Math.round(median(rates)).toLocaleString('en');
    console.log(
      `| ${each.label} | ${rate} | ${compared} | ${shown} | ${Number.isNaN(byCost) ? '' : byCost.toFixed(2)} |`,
    );
  }
  console.log('');
  for (const { what, of: other, least, goal, load = way } of ratios) {
    if (of(what) === undefined || of(other) === undefined || load !== way) continue;
    const ratio = compare(of(what), of(other));
    const notes = [
      ...(least === undefined ? [] : [`at least ${least}`]),
      ...(goal === undefined ? [] : [`the goal is ${goal}`]),
    ];
    console.log(
      `${what}, of ${other}: ${ratio.toFixed(2)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`,
    );
    if (least !== undefined && ratio < least) process.exitCode = 1;
  }
  if (process.env.BENCH_BESIDE !== undefined) {
    const least = cases.map(
      ({ label, results }) => `${label} ${Math.min(...results[way].costs).toFixed(2)} us`,
    );
    console.log(`The least of processor time in a round: ${least.join(', ')}`);
  }
  more?.((label) => of(label)?.results[way]);
  console.log('');
}
