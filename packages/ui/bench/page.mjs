// What an open page costs a server under load, and whether the page stays quick: so many messages a second arrive, by turns with a browser
// that shows the timeline and without one. What counts is the processor time of the server for each message: client, server and browser
// share the machine, so that what passes in a second says more of the machine.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(import.meta.url);
const ROUNDS = 3;
const SECONDS = 5;
const TICK = 10;
const CONNECTIONS = 8;
const COMMAND = '*2\r\n$3\r\nGET\r\n$8\r\ngreeting\r\n';
const ANSWER = Buffer.from('$5\r\nhello\r\n');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

/** The server, in a process of its own. */
async function serve() {
  const [{ createHost }, { createManagementServer }, { redis }, { createPage }] = await Promise.all([
    import('@backlot/core'),
    import('@backlot/management'),
    import('@backlot/redis'),
    import('../dist/index.js'),
  ]);
  const settings = { redis: { data: { greeting: 'hello' } } };
  const host = await createHost({ protocols: [redis], settings });
  await host.start();
  const server = createManagementServer(host, { page: createPage() });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
  process.send?.({ port: host.kind('redis').address?.port, api: server.address() });
}

/** Sends so many commands a second, evenly. @returns how many were answered */
async function load(port, perSecond) {
  let answered = 0;
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('data', (data) => (answered += data.length / ANSWER.length));
      await once(socket, 'connect');
      return socket;
    }),
  );
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < SECONDS * 1000) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond) - sent;
    const each = Math.ceil(due / CONNECTIONS);
    for (const socket of sockets) if (each > 0) socket.write(COMMAND.repeat(each));
    sent += Math.max(0, each) * CONNECTIONS;
    await new Promise((resolve) => setTimeout(resolve, TICK));
  }
  for (const socket of sockets) socket.end();
  await Promise.all(sockets.map((socket) => once(socket, 'close')));
  return Math.round(answered);
}

async function main() {
  const perSecond = Number(process.argv[2] ?? 10_000);
  const { chromium } = await import('playwright-core');
  const { median } = await import('@backlot/tooling/bench');
  const child = fork(FILE, ['serve'], { stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'backlot-page-'));
  const [{ port, api }] = await once(child, 'message');
  const cpu = async () => {
    child.send('cpu');
    const [{ cpu: used }] = await once(child, 'message');
    return used.user + used.system;
  };
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
  });
  try {
    const costs = { closed: [], open: [] };
    let longest = 0;
    console.log(`${perSecond} messages a second, ${SECONDS} s each, by turns`);
    await load(port, perSecond);
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const state of /** @type {const} */ (['closed', 'open'])) {
        const page = state === 'open' ? await context.newPage() : undefined;
        if (page !== undefined) {
          await page.goto(`http://127.0.0.1:${api.port}/`);
          await page.getByText('live', { exact: true }).waitFor();
          await page.evaluate(() => {
            globalThis.longest = 0;
            new PerformanceObserver((list) => {
              for (const { duration } of list.getEntries())
                globalThis.longest = Math.max(globalThis.longest, duration);
            }).observe({ type: 'longtask' });
          });
        }
        const before = await cpu();
        const answered = await load(port, perSecond);
        const cost = ((await cpu()) - before) / answered;
        costs[state].push(cost);
        const task = page === undefined ? 0 : await page.evaluate(() => globalThis.longest);
        const told = page === undefined ? '' : await page.locator('.counted').innerText();
        longest = Math.max(longest, task);
        console.log(
          `round ${round} ${state.padEnd(6)} ${Math.round(answered / SECONDS)} a second, ${cost.toFixed(1)} us of the server for each` +
            (page === undefined ? '' : `; longest task ${Math.round(task)} ms; the page says: ${told}`),
        );
        await page?.close();
      }
    }
    const [without, with_] = [median(costs.closed), median(costs.open)];
    console.log(
      `median: ${without.toFixed(1)} us without and ${with_.toFixed(1)} us with the page (${((with_ / without - 1) * 100).toFixed(1)} %; the aim is 5 % at most); longest task ${Math.round(longest)} ms (the aim is below 100 ms; 0 is below 50)`,
    );
  } finally {
    await context.close();
    child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

await (process.argv[2] === 'serve' ? serve() : main());
