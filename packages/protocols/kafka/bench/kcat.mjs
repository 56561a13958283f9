// How many records of 100 bytes a batching client gets through: kcat (librdkafka) in its default settings, which produces a
// file line by line and reads it back. The time is that of the whole command; 100,000 a second are the aim.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@backlot/core';
import { kafka } from '@backlot/kafka';
import { compareServers, isInstalled, startMocks } from '@backlot/tooling/bench';

/** Fewer than a partition keeps. */
const RECORDS = 90_000;
const BYTES = 100;

let topic = 0;

if (isInstalled('kcat')) await measure();
else console.log('kcat is not installed');

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-kcat-'));
  const file = join(folder, 'records');
  const lines = Array.from({ length: RECORDS }, (_, n) => `${String(n).padStart(BYTES, '0')}\n`);
  writeFileSync(file, lines.join(''));
  const mocks = [{ topic: 'other', response: { topic: 'x', value: 'x' } }];
  try {
    await compareServers(import.meta.url, {
      name: 'kafka, kcat',
      unit: 'record',
      servers: { one: () => startMocks(createHost, kafka, mocks) },
      cases: [{ label: '1 mock', server: 'one' }],
      load: {
        produce: ({ port }) => run(port, '-P', '-t', `bench-${(topic += 1)}`, '-l', file),
        fetch: ({ port }) => run(port, '-C', '-t', `bench-${topic}`, '-e', '-q', '-o', 'beginning'),
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(port, mode, ...args) {
  const child = spawn('kcat', [mode, '-b', `127.0.0.1:${port}`, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let lines = 0;
  child.stdout.on('data', (chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`kcat ended with ${code}`);
  if (mode === '-C' && lines !== RECORDS) throw new Error(`${lines} of ${RECORDS} records came back`);
  return RECORDS;
}
