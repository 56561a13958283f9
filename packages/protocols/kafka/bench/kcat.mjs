// How many records of 100 bytes a batching client gets through: kcat (librdkafka) in its default settings, which produces a
// file line by line and reads it back. The time is that of the whole command.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Fewer than a partition keeps. */
const RECORDS = 90_000;
const BYTES = 100;

if (process.argv[2] === 'server') await serve();
else if (spawnSync('sh', ['-c', 'command -v kcat']).status === 0) await measure();
else console.log('kcat is not installed');

async function serve() {
  process.on('disconnect', () => process.exit());
  const { createHost } = await import('@backlot/core');
  const { kafka } = await import('@backlot/kafka');
  const host = await createHost({
    protocols: [kafka],
    settings: {
      kafka: {
        host: '127.0.0.1',
        port: 0,
        mocks: [{ topic: 'other', response: { topic: 'x', value: 'x' } }],
      },
    },
    seed: 1,
  });
  await host.start();
  process.send({ port: host.kind('kafka').address.port });
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-bench-'));
  const file = join(folder, 'records');
  writeFileSync(
    file,
    Array.from({ length: RECORDS }, (_, n) => `${String(n).padStart(BYTES, '0')}\n`).join(''),
  );
  const child = fork(fileURLToPath(import.meta.url), ['server']);
  const [{ port }] = await once(child, 'message');
  const broker = `127.0.0.1:${port}`;
  const produced = [];
  const fetched = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const topic = `bench-${round}`;
      produced.push((await run(['-P', '-b', broker, '-t', topic, '-l', file])).rate);
      const { rate, lines } = await run(['-C', '-b', broker, '-t', topic, '-e', '-q', '-o', 'beginning']);
      if (lines !== RECORDS) throw new Error(`${lines} of ${RECORDS} records came back`);
      fetched.push(rate);
    }
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log('| kafka, kcat with records of 100 bytes | records/s | at least |\n| --- | ---: | ---: |');
  console.log(`| produce | ${show(produced)} | 100,000 |`);
  console.log(`| fetch | ${show(fetched)} | 100,000 |\n`);
}

async function run(args) {
  const began = performance.now();
  const child = spawn('kcat', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let lines = 0;
  child.stdout.on('data', (chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`kcat ended with ${code}`);
  return { rate: (RECORDS / (performance.now() - began)) * 1000, lines };
}

function show(rates) {
  const middle = [...rates].sort((a, b) => a - b)[Math.floor(rates.length / 2)];
  return Math.round(middle).toLocaleString('en');
}
