// What a request costs: a bare node:http server against this plugin with 1 and with 10,000 mocks, same bytes on the wire.
import { execFile, fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BODY = '{"id":1,"name":"Alice","role":"admin"}';
const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CONNECTIONS = 50;

const [mode] = process.argv.slice(2).filter((argument) => argument.startsWith('server:'));
if (mode === undefined) await measure();
else await serve(mode.slice('server:'.length));

/** Exact, parameter and wildcard paths, a third each. */
function mixedMocks() {
  const response = { body: BODY };
  return Array.from({ length: MANY }, (_, n) => {
    const id = `m${n}`;
    if (n % 3 === 0) return { id, request: { method: 'GET', path: `/exact/${n}` }, response };
    if (n % 3 === 1) return { id, request: { method: 'GET', path: `/users/${n}/{name}` }, response };
    return { id, request: { path: `/files/${n}/*` }, response };
  });
}

function pathOf(n) {
  if (n % 3 === 0) return `/exact/${n}`;
  return n % 3 === 1 ? `/users/${n}/ada` : `/files/${n}/a/b`;
}

/** Runs as a child process: serves, tells its port and, when asked, the processor time it has used. */
async function serve(kind) {
  process.on('message', () => process.send(process.cpuUsage()));
  if (kind === 'bare') {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': BODY.length });
      response.end(BODY);
    });
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { http } = await import('@backlot/http');
  const mocks =
    kind === 'one'
      ? [{ id: 'one', request: { method: 'GET', path: '/exact/0' }, response: { body: BODY } }]
      : [];
  const host = await createHost({
    protocols: [http],
    settings: { http: { host: '127.0.0.1', port: 0, mocks } },
    seed: 1,
  });
  await host.start();
  const began = performance.now();
  if (kind === 'many') for (const mock of mixedMocks()) host.kind('http').mocks.create(mock);
  process.send({ port: host.kind('http').address.port, created: performance.now() - began });
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-bench-'));
  const servers = [];
  try {
    const load = (await hasWrk()) ? wrk : autocannon;
    const files = { one: join(folder, 'one'), many: join(folder, 'many') };
    await writeFile(files.one, '/exact/0\n');
    await writeFile(files.many, `${Array.from({ length: MANY }, (_, n) => pathOf(n)).join('\n')}\n`);
    const cases = [];
    for (const [kind, name, file] of [
      ['bare', 'bare node:http', files.one],
      ['one', '1 mock', files.one],
      ['many', `${MANY.toLocaleString('en')} mocks`, files.many],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${kind}`]);
      servers.push(child);
      const { port, created } = await new Promise((resolve, reject) => {
        child.once('message', resolve);
        child.once('exit', () => reject(new Error(`the ${kind} server did not start`)));
      });
      cases.push({ name, file, port, created, child, results: [], costs: [] });
    }
    for (const each of cases) await load(each.port, each.file, 1);
    // In turns, so that whatever else the machine does meets all alike.
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of cases) {
        const before = await ask(each.child);
        const rate = await load(each.port, each.file, SECONDS);
        each.results.push(rate);
        each.costs.push(((await ask(each.child)) - before) / (rate * SECONDS));
      }
    }
    print(cases, load.name);
  } finally {
    for (const child of servers) child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The processor time that a server has used, in microseconds. */
function ask(child) {
  return new Promise((resolve) => {
    child.once('message', ({ user, system }) => resolve(user + system));
    child.send('usage');
  });
}

function print(cases, tool) {
  const [bare, one, many] = cases.map(({ results }) => median(results));
  const costs = cases.map((each) => `${median(each.costs).toFixed(1)} µs`);
  const number = (value) => Math.round(value).toLocaleString('en');
  console.log(
    `HTTP, requests per second (median of ${ROUNDS} rounds of ${SECONDS} s, ${tool}, ${CONNECTIONS} connections)\n`,
  );
  console.log('| server | requests/s | ratio | at least | processor time per request |');
  console.log('|---|---:|---:|---:|---:|');
  console.log(`| ${cases[0].name} | ${number(bare)} | | | ${costs[0]} |`);
  console.log(
    `| ${cases[1].name} | ${number(one)} | ${(one / bare).toFixed(2)} of bare | 0.65 | ${costs[1]} |`,
  );
  console.log(
    `| ${cases[2].name} | ${number(many)} | ${(many / one).toFixed(2)} of 1 mock | 0.90 | ${costs[2]} |`,
  );
  console.log(`\nCreating ${MANY.toLocaleString('en')} mocks one by one: ${number(cases[2].created)} ms`);
  if (one / bare < 0.65 || many / one < 0.9) process.exitCode = 1;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function hasWrk() {
  // wrk answers -v with its version and the code 1.
  return new Promise((resolve) => execFile('wrk', ['-v'], (error) => resolve(error?.code !== 'ENOENT')));
}

function wrk(port, file, seconds) {
  const script = fileURLToPath(new URL('./paths.lua', import.meta.url));
  const args = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    '-s',
    script,
    `http://127.0.0.1:${port}`,
    '--',
    file,
  ];
  return new Promise((resolve, reject) => {
    execFile('wrk', args, (error, out) => {
      const found = /Requests\/sec:\s+([\d.]+)/.exec(out);
      if (error !== null || found === null || /Non-2xx/.test(out)) reject(new Error(`wrk failed: ${out}`));
      else resolve(Number(found[1]));
    });
  });
}

async function autocannon(port, file, seconds) {
  const { default: run } = await import('autocannon');
  const { readFile } = await import('node:fs/promises');
  const requests = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((path) => ({ path }));
  const result = await run({
    url: `http://127.0.0.1:${port}`,
    connections: CONNECTIONS,
    duration: seconds,
    requests,
  });
  if (result.non2xx > 0) throw new Error(`${result.non2xx} answers were no success`);
  return result.requests.average;
}
