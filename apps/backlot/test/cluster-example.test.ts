import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from '@jest/globals';
import { freePort, itWithTool } from '@backlot/conformance';
import { BIN } from './command.js';

const FOLDER = fileURLToPath(new URL('../../../examples/cluster', import.meta.url));
const PORTS = [8081, 8082, 8083, 9091, 9092, 9093];
const ends: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const end of ends) await end();
});

/** Starts the example on free ports, which stand in place of those that it says. */
async function startExample(): Promise<ReadonlyMap<number, number>> {
  const free: number[] = [];
  for (const _ of [...PORTS, 0]) free.push(await freePort());
  const child = spawn('sh', ['start.sh'], {
    cwd: FOLDER,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      BACKLOT: `${process.execPath} ${BIN}`,
      HTTP_PORTS: free.slice(0, 3).join(' '),
      API_PORTS: free.slice(3, 6).join(' '),
      NATS_PORT: String(free[6]),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ends.push(async () => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'close');
    child.kill('SIGTERM');
    const [code] = (await gone) as [number | null];
    // It has ended what it has started.
    expect(code).toBe(0);
  });
  await new Promise<void>((resolve, reject) => {
    let ready = 0;
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        said.push(line);
        if (line.startsWith('ready ')) ready += 1;
        if (ready === 3) resolve();
      });
    child.once('close', () => reject(new Error(`the example has ended: ${said.join('\n')}`)));
  });
  return new Map(PORTS.map((port, index) => [port, free[index] ?? 0]));
}

/** What the lines of README.md that call curl are answered, in their order. */
async function answersOf(ports: ReadonlyMap<number, number>): Promise<readonly string[]> {
  const lines = readFileSync(`${FOLDER}/README.md`, 'utf8').matchAll(
    /^curl (?:-X (\w+) )?http:\/\/localhost:(\d+)(\S+)(?: -d '(.*)')?$/gm,
  );
  const answers: string[] = [];
  for (const [, method = 'GET', port, path = '', body] of lines) {
    const response = await fetch(`http://127.0.0.1:${ports.get(Number(port))}${path}`, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
    answers.push(await response.text());
  }
  return answers;
}

itWithTool('nats-server', 'examples/cluster answers as its README says', async () => {
  const answers = await answersOf(await startExample());
  const [first, second, orders, ...rest] = answers.slice(3);
  expect(answers.slice(0, 3)).toEqual(['try again', 'try again', 'paid']);
  expect([first, second, orders].map((text) => JSON.parse(text ?? ''))).toEqual([
    { id: '1', state: 'new' },
    { id: '2', state: 'new' },
    [
      { id: '1', state: 'new' },
      { id: '2', state: 'new' },
    ],
  ]);
  const [opens, open, created, hello, count, cluster] = rest;
  expect([opens, open, hello]).toEqual(['it opens', 'it is open', 'hello']);
  expect(JSON.parse(created ?? '')).toMatchObject({ request: { path: '/hello' } });
  expect(JSON.parse(count ?? '')).toMatchObject({ count: 9 });
  expect(JSON.parse(cluster ?? '').replicas).toHaveLength(3);
});
