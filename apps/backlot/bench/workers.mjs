// What a request costs the processor without workers, with one and two, and in a cluster: all processes of the server together, since a
// machine with few processors shows by that alone whether the work grows. The engine of a cluster is not counted. Run by `pnpm bench workers`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadHttp, median } from '@backlot/tooling/bench';
import { ENGINE_NAMES, engineOf, freePort } from './lib/cluster-processes.mjs';
import { startServer } from './lib/server.mjs';

const RUNS = 5;
const MILLISECONDS = 3_000;
const WARMING = 2_000;
const folder = mkdtempSync(join(tmpdir(), 'backlot-workers-'));
const file = join(folder, 'backlot.json');
const mocks = [
  { request: { path: '/plain' }, response: { body: 'plain' } },
  { request: { path: '/counted' }, response: { body: 'counted' }, times: 1_000_000_000 },
];
writeFileSync(file, JSON.stringify({ protocols: { http: { mocks } } }));

const servers = { 'without either': [], '1 worker': ['--workers', '1'], '2 workers': ['--workers', '2'] };
const engines = [];
for (const name of ENGINE_NAMES) {
  const port = await freePort();
  mkdirSync(join(folder, name));
  const { scheme, program } = engineOf(name, port, join(folder, name));
  await program.start();
  engines.push(program);
  servers[`a cluster of one, ${name}`] = ['--cluster', `${scheme}://127.0.0.1:${port}`];
}
const paths = { 'a plain mock': '/plain', 'a mock with `times`': '/counted' };
const runs = new Map();
// In turn, so that what else the machine does falls upon all of them alike.
for (let run = 0; run < RUNS; run += 1) {
  for (const [name, flags] of Object.entries(servers)) {
    const server = await startServer(['-c', file, '--only', 'http', ...flags], folder);
    const port = Number(new URL(server.urls.http).port);
    for (const [mock, path] of Object.entries(paths)) {
      // What is compiled in each process while it is young is no part of a request.
      await loadHttp({ port, milliseconds: WARMING, requests: [{ path }] });
      const own = server.processor();
      const children = server.processorsOfChildren();
      const loaded = await loadHttp({ port, milliseconds: MILLISECONDS, requests: [{ path }] });
      const { count, milliseconds } =
        typeof loaded === 'number' ? { count: loaded, milliseconds: MILLISECONDS } : loaded;
      const of = server.processorsOfChildren().map((each, index) => each - (children[index] ?? 0));
      const first = server.processor() - own;
      const key = `${mock} | ${name}`;
      const before = runs.get(key) ?? [];
      const all = first + of.reduce((sum, each) => sum + each, 0);
      before.push({
        each: (all * 1000) / count,
        first: (first * 1000) / count,
        rate: (count * 1000) / milliseconds,
        perSecond: (count * 1000) / all,
      });
      runs.set(key, before);
    }
    await server.stop();
  }
}
for (const engine of engines) await engine.end();
rmSync(folder, { recursive: true });

process.stdout.write(
  `Workers (median of ${RUNS} runs, 50 connections, the client on the same processors)\n\n`,
);
process.stdout.write(
  '| mock | server | requests/s | per processor second | processor per request | of it in the first process |\n|---|---|---:|---:|---:|---:|\n',
);
for (const [key, all] of runs) {
  const of = (field) => median(all.map((run) => run[field]));
  const cells = [
    of('rate').toFixed(0),
    of('perSecond').toFixed(0),
    `${of('each').toFixed(1)} us`,
    `${of('first').toFixed(1)} us`,
  ];
  process.stdout.write(`| ${key} | ${cells.join(' | ')} |\n`);
}
