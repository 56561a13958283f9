// Whether memory stays bounded: resident memory after each 200,000 requests, a million in all, journal on.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient } from './lib/http-client.mjs';
import { startServer } from './lib/server.mjs';

const REQUESTS = 1_000_000;
const STEP = 200_000;
const CONNECTIONS = 32;
/** Megabytes; far more than the journal may hold together with what the engine keeps for itself. */
const MAX_MB = 400;

const folder = mkdtempSync(join(tmpdir(), 'backlot-bench-'));
const file = join(folder, 'backlot.json');
const mocks = [{ id: 'echo', request: { path: '/items/{id}' }, response: { body: '{{request.raw_body}}' } }];
writeFileSync(file, JSON.stringify({ protocols: { http: { mocks } } }));
const server = await startServer(['-c', file], folder);
const client = openClient(CONNECTIONS);
const url = server.urls.http;
const body = JSON.stringify({ text: 'x'.repeat(2000) });

process.stdout.write(
  'Memory of the server under requests with a body of 2 KB\n\n| requests | memory |\n|---:|---:|\n',
);
process.stdout.write(`| 0 | ${server.memory().toFixed(0)} MB |\n`);
let largest = 0;
for (let done = 0; done < REQUESTS; done += STEP) {
  let next = done;
  const work = async () => {
    while (next < done + STEP) await client.post(`${url}/items/${(next += 1)}`, body);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  largest = Math.max(largest, server.memory());
  process.stdout.write(`| ${(done + STEP).toLocaleString('en')} | ${server.memory().toFixed(0)} MB |\n`);
}
if (largest > MAX_MB) process.exitCode = 1;
client.close();
await server.stop();
rmSync(folder, { recursive: true });
