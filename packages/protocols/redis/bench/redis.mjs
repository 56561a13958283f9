// GETs a second, asked by redis-benchmark: redis-server (where it is installed) and a bare loop of RESP over node:net
// against this plugin with 1 and 10,000 mocks, and with data of its own. Servers are processes of their own; cases take
// turns, since what else the machine does changes.
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 100_000);
const CLIENTS = '50';
const KEY = 'key:__rand_int__';
const SHAPES = {
  bare: undefined,
  '1 mock': { mocks: 1 },
  '10,000 mocks': { mocks: 10_000 },
  '10,000 wildcard mocks': { mocks: 10_000, isWild: true },
  stateful: { mocks: 0, mode: 'stateful' },
};

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  const shape = SHAPES[name];
  process.on('disconnect', () => process.exit());
  if (shape === undefined) return serveBare();
  const { createHost } = await import('@backlot/core');
  const { redis } = await import('@backlot/redis');
  const host = await createHost({
    protocols: [redis],
    settings: { redis: { host: '127.0.0.1', port: 0, mode: shape.mode ?? 'mock' } },
    seed: 1,
  });
  await host.start();
  const suffix = shape.isWild ? '*' : '';
  const mocks = Array.from({ length: shape.mocks }, (_, n) => ({
    command: 'GET',
    key: shape.mocks === 1 ? 'key:*' : `key:${String(n).padStart(12, '0')}${suffix}`,
    response: { type: 'bulk', value: 'xxx' },
  }));
  if (mocks.length > 0) host.kind('redis').mocks.createAll(mocks);
  process.send({ port: host.kind('redis').address.port });
}

/** Reads arrays of bulk strings and answers each with the same value. */
function serveBare() {
  const server = net.createServer({ noDelay: true }, (socket) => {
    let rest = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const text = rest + chunk.latin1Slice();
      let at = 0;
      let out = '';
      for (;;) {
        const end = endOfRequest(text, at);
        if (end < 0) break;
        at = end;
        out += '$3\r\nxxx\r\n';
      }
      rest = text.slice(at);
      if (out !== '') socket.write(out, 'latin1');
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

function endOfRequest(text, start) {
  let line = text.indexOf('\r\n', start);
  if (line < 0) return -1;
  let left = Number(text.slice(start + 1, line));
  let at = line + 2;
  for (; left > 0; left -= 1) {
    line = text.indexOf('\r\n', at);
    if (line < 0) return -1;
    at = line + 4 + Number(text.slice(at + 1, line));
    if (at > text.length) return -1;
  }
  return at;
}

async function measure() {
  const cases = [];
  for (const name of Object.keys(SHAPES)) {
    const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
    cases.push({ name, child, port: await portOf(child), rates: { 1: [], 16: [] } });
  }
  if (spawnSync('sh', ['-c', 'command -v redis-server']).status === 0) cases.unshift(await startReference());
  try {
    for (const each of cases) rateOf(each, 16, REQUESTS);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const pipeline of [1, 16]) {
        for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
          each.rates[pipeline].push(rateOf(each, pipeline, pipeline === 1 ? REQUESTS : REQUESTS * 5));
        }
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child.kill();
  }
}

async function startReference() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no']);
  for await (const text of child.stdout) if (String(text).includes('Ready to accept')) break;
  return { name: 'redis-server', child, port, rates: { 1: [], 16: [] } };
}

/** @param pipeline how many requests a client has under way */
function rateOf({ port }, pipeline, requests) {
  const args = ['-p', port, '-c', CLIENTS, '-n', requests, '-P', pipeline, '-r', 10_000, '--csv', 'GET', KEY];
  const out = execFileSync('redis-benchmark', args.map(String), { encoding: 'utf8' });
  return Number(/"GET[^"]*","([\d.]+)"/.exec(out)?.[1] ?? Number.NaN);
}

function report(cases) {
  const [reference] = cases;
  console.log(`| redis | one at a time | of ${reference.name} | 16 at a time | of ${reference.name} |`);
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const each of cases) {
    const cells = [1, 16].flatMap((pipeline) => [
      Math.round(median(each.rates[pipeline])),
      compare(each, reference, pipeline),
    ]);
    console.log(`| ${each.name} | ${cells.join(' | ')} |`);
  }
  const [one, many] = ['1 mock', '10,000 mocks'].map((name) => cases.find((each) => each.name === name));
  console.log(
    `\n10,000 mocks of 1: ${compare(many, one, 1)} one at a time, ${compare(many, one, 16)} pipelined`,
  );
}

function compare(one, other, pipeline) {
  return median(one.rates[pipeline].map((rate, round) => rate / other.rates[pipeline][round])).toFixed(2);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function portOf(child) {
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof told?.port !== 'number') throw new Error('a server did not start');
  return told.port;
}
