import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// How long `backlot start` takes until its last line, and what it holds in memory a second later.

const COMMAND = fileURLToPath(new URL('../bin/backlot.js', import.meta.url));
const SHOP = fileURLToPath(new URL('../../../examples/shop/backlot.yaml', import.meta.url));
const FREE_PORTS = ['--api-port=0', '--http-port=0', '--tcp-port=0', '--dns-port=0'];
const RUNS = 5;

const folder = mkdtempSync(join(tmpdir(), 'backlot-bench-'));
const many = join(folder, 'many.json');
const mocks = Array.from({ length: 10_000 }, (_, index) => ({
  id: `mock-${index}`,
  request: { method: 'GET', path: `/things/${index}/{id}` },
  response: { body: '{"id": "{{request.params.id}}"}' },
}));
writeFileSync(many, JSON.stringify({ protocols: { http: { mocks } } }));

/** @param {string[]} args */
async function measure(args) {
  const started = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'start', ...FREE_PORTS, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (/^ready /m.test(output)) resolve(undefined);
    });
  });
  const milliseconds = performance.now() - started;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
  child.kill();
  await new Promise((resolve) => child.once('exit', resolve));
  return { milliseconds, megabytes: kilobytes / 1024 };
}

/** @param {number[]} values */
function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

for (const [name, args] of Object.entries({
  'no file': [],
  'examples/shop': ['-c', SHOP],
  '10,000 mocks': ['-c', many],
})) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(args));
  const milliseconds = median(runs.map((run) => run.milliseconds)).toFixed(0);
  const megabytes = median(runs.map((run) => run.megabytes)).toFixed(0);
  process.stdout.write(`${name.padEnd(16)} ${milliseconds.padStart(6)} ms  ${megabytes.padStart(5)} MB\n`);
}
rmSync(folder, { recursive: true });
