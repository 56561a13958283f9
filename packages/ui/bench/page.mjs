// What an open page costs a server under load, and whether the page stays quick: so many messages a second arrive, by turns with a browser
// that shows the timeline and without one. What counts is processor time: of the server for each message, and of the thread of the page for
// each task, which Chromium's trace has. Client, server and browser share the machine, so that what passes in a second, and how long a
// task takes by the clock, say more of the machine.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(import.meta.url);
const ROUNDS = 4;
const SECONDS = 10;
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

/** The name of a task in traces of Chromium. */
const TASK = 'ThreadControllerImpl::RunTask';

/** Traces the tasks of a page. @returns what ends it, and gives the longest task in milliseconds of its thread and of the clock */
async function traceTasks(page) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'], excludedCategories: ['*'] },
  });
  return async () => {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await complete;
    const mains = new Set(
      events
        .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = events.filter(
      ({ name, ph, pid, tid }) => name === TASK && ph === 'X' && mains.has(`${pid} ${tid}`),
    );
    if (tasks.length === 0) throw new Error(`the trace has no ${TASK} of the page`);
    const longest = (field) => Math.max(...tasks.map((task) => task[field] ?? 0)) / 1000;
    return { thread: longest('tdur'), clock: longest('dur') };
  };
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
    console.log(
      `${perSecond} messages a second, ${SECONDS} s each, by turns; load of the machine ${loadavg()[0]?.toFixed(1)}`,
    );
    await load(port, perSecond);
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const state of /** @type {const} */ (['closed', 'open'])) {
        const page = state === 'open' ? await context.newPage() : undefined;
        if (page !== undefined) {
          await page.goto(`http://127.0.0.1:${api.port}/`);
          await page.getByText('live', { exact: true }).waitFor();
        }
        const endTrace = page === undefined ? undefined : await traceTasks(page);
        const before = await cpu();
        const answered = await load(port, perSecond);
        const cost = ((await cpu()) - before) / answered;
        costs[state].push(cost);
        const task = (await endTrace?.()) ?? { thread: 0, clock: 0 };
        const told = page === undefined ? '' : await page.locator('.counted').innerText();
        longest = Math.max(longest, task.thread);
        console.log(
          `round ${round} ${state.padEnd(6)} ${Math.round(answered / SECONDS)} a second, ${cost.toFixed(1)} us of the server for each` +
            (page === undefined
              ? ''
              : `; longest task ${task.thread.toFixed(1)} ms (${Math.round(task.clock)} by the clock); the page says: ${told}`),
        );
        await page?.close();
      }
    }
    const [without, with_] = [median(costs.closed), median(costs.open)];
    // Round by round: what else the machine does changes more slowly than that.
    const more = median(costs.open.map((cost, index) => cost / costs.closed[index]));
    console.log(
      `median: ${without.toFixed(1)} us without and ${with_.toFixed(1)} us with the page (${((more - 1) * 100).toFixed(1)} % more in a round; the aim is 5 % at most); longest task ${longest.toFixed(1)} ms of its thread (the aim is below 100 ms)`,
    );
  } finally {
    await context.close();
    child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

await (process.argv[2] === 'serve' ? serve() : main());
