// How long `backlot start` takes until its last line, beside a bare server of node:http, and what it holds in memory a second later.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '@backlot/tooling/bench';
import { startBare, startServer } from './lib/server.mjs';

const SHOP = fileURLToPath(new URL('../../../examples/shop/backlot.yaml', import.meta.url));
const SERVICES = fileURLToPath(new URL('../../../packages/services/services', import.meta.url));
const RUNS = 5;

const folder = mkdtempSync(join(tmpdir(), 'backlot-bench-'));
const many = join(folder, 'many.json');
const mocks = Array.from({ length: 10_000 }, (_, index) => ({
  id: `mock-${index}`,
  request: { method: 'GET', path: `/things/${index}/{id}` },
  response: { body: '{"id": "{{request.params.id}}"}' },
}));
writeFileSync(many, JSON.stringify({ protocols: { http: { mocks } } }));

const allServices = readdirSync(SERVICES).flatMap((name) => ['--service', name]);
const configurations = Object.entries({
  'bare `node:http`': undefined,
  'all twenty, no mocks': [],
  'one protocol, no mocks': ['--only', 'redis'],
  'three protocols, no mocks': ['--only', 'http,tcp,dns'],
  'examples/shop': ['-c', SHOP],
  'the service stripe': ['--service', 'stripe'],
  'all services': allServices,
  '10,000 HTTP mocks': ['-c', many],
});

// In turn, so that what else the machine does falls upon all of them alike.
const runs = new Map(configurations.map(([name]) => [name, []]));
for (let run = 0; run < RUNS; run += 1) {
  for (const [name, args] of configurations) {
    const server = args === undefined ? await startBare(folder) : await startServer(args, folder);
    const processor = server.processor();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    runs.get(name).push({ ready: server.ready, processor, memory: server.memory() });
    await server.stop();
  }
}

process.stdout.write(`Starting the command (median of ${RUNS} runs)\n\n`);
process.stdout.write('| configuration | until ready | of bare | processor | memory a second later |\n');
process.stdout.write('|---|---:|---:|---:|---:|\n');
let bare;
for (const [name, all] of runs) {
  const of = (field) => median(all.map((run) => run[field]));
  bare ??= of('ready');
  const cells = [
    `${of('ready').toFixed(0)} ms`,
    (of('ready') / bare).toFixed(1),
    `${of('processor').toFixed(0)} ms`,
    `${of('memory').toFixed(0)} MB`,
  ];
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`);
}
rmSync(folder, { recursive: true });
