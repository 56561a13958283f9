// What creating 10,000 mocks one by one through the management API costs, over one connection.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient } from './lib/http-client.mjs';
import { startServer } from './lib/server.mjs';

const MANY = 10_000;
const PARTS = 4;

const folder = mkdtempSync(join(tmpdir(), 'backlot-bench-'));
const server = await startServer([], folder);
const client = openClient(1);

/** @param {unknown} mock */
async function create(mock) {
  const status = await client.post(`${server.urls.api}/api/mocks/http`, JSON.stringify(mock));
  if (status !== 201) throw new Error(`answered ${status}`);
}

process.stdout.write(`Creating ${MANY.toLocaleString('en')} HTTP mocks one by one over one connection\n\n`);
process.stdout.write('| mocks | time | each |\n|---|---:|---:|\n');
const start = performance.now();
for (let part = 0; part < PARTS; part += 1) {
  const began = performance.now();
  for (let index = 0; index < MANY / PARTS; index += 1) {
    const id = part * (MANY / PARTS) + index;
    await create({
      id: `mock-${id}`,
      request: { method: 'GET', path: `/things/${id}/{name}` },
      response: { body: '{"id": "{{request.params.name}}"}' },
    });
  }
  const took = performance.now() - began;
  const range = `${part * (MANY / PARTS) + 1} to ${(part + 1) * (MANY / PARTS)}`;
  process.stdout.write(`| ${range} | ${took.toFixed(0)} ms | ${(took / (MANY / PARTS)).toFixed(3)} ms |\n`);
}
const total = performance.now() - start;
process.stdout.write(`| all | ${total.toFixed(0)} ms | ${(total / MANY).toFixed(3)} ms |\n`);
if (total > 4000) process.exitCode = 1;
client.close();
await server.stop();
rmSync(folder, { recursive: true });
