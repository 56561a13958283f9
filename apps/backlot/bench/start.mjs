// How long `backlot start` takes until its last line, and what it holds in memory a second later.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '@backlot/tooling/bench';
import { startServer } from './lib/server.mjs';

const SHOP = fileURLToPath(new URL('../../../examples/shop/backlot.yaml', import.meta.url));
const RUNS = 5;

const folder = mkdtempSync(join(tmpdir(), 'backlot-bench-'));
const many = join(folder, 'many.json');
const mocks = Array.from({ length: 10_000 }, (_, index) => ({
  id: `mock-${index}`,
  request: { method: 'GET', path: `/things/${index}/{id}` },
  response: { body: '{"id": "{{request.params.id}}"}' },
}));
writeFileSync(many, JSON.stringify({ protocols: { http: { mocks } } }));

process.stdout.write(`Starting the command (median of ${RUNS} runs)\n\n`);
process.stdout.write('| configuration | until ready | memory a second later |\n|---|---:|---:|\n');
for (const [name, args] of Object.entries({
  'all twenty, no mocks': [],
  'one protocol, no mocks': ['--only', 'redis'],
  'three protocols, no mocks': ['--only', 'http,tcp,dns'],
  'examples/shop': ['-c', SHOP],
  '10,000 HTTP mocks': ['-c', many],
})) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) {
    const server = await startServer(args, folder);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    runs.push({ ready: server.ready, memory: server.memory() });
    await server.stop();
  }
  const milliseconds = median(runs.map(({ ready }) => ready)).toFixed(0);
  const megabytes = median(runs.map(({ memory }) => memory)).toFixed(0);
  process.stdout.write(`| ${name} | ${milliseconds} ms | ${megabytes} MB |\n`);
}
rmSync(folder, { recursive: true });
