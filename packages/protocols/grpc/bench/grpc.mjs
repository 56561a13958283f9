// What a unary call costs: a bare grpc-js server against this plugin with 1 and with 1,000 mocks, same bytes on the wire.
import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTO = `syntax = "proto3";
package bench;
message GetUser { int64 id = 1; string name = 2; }
message User { int64 id = 1; string name = 2; string role = 3; repeated string tags = 4; }
service Users { rpc Get(GetUser) returns (User); }
`;
const USER = { id: '1', name: 'Alice', role: 'admin', tags: ['a', 'b'] };
const MANY = 1000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const UNDER_WAY = 50;
const LOADING = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };

const [mode] = process.argv.slice(2).filter((argument) => argument.startsWith('server:'));
if (mode === undefined) await measure();
else await serve(mode.slice('server:'.length), process.argv[3]);

/** Runs as a child process: serves, tells its port and, when asked, the processor time it has used. */
async function serve(kind, file) {
  process.on('message', () => process.send(process.cpuUsage()));
  if (kind === 'bare') {
    const { bench } = grpcJs.loadPackageDefinition(loadSync(file, LOADING));
    const server = new grpcJs.Server();
    server.addService(bench.Users.service, { Get: (call, callback) => callback(null, USER) });
    server.bindAsync('127.0.0.1:0', grpcJs.ServerCredentials.createInsecure(), (error, port) => {
      if (error) throw error;
      process.send({ port });
    });
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { grpc } = await import('@backlot/grpc');
  const host = await createHost({
    protocols: [grpc],
    settings: { grpc: { host: '127.0.0.1', port: 0, protos: [file] } },
    seed: 1,
  });
  await host.start();
  const { mocks } = host.kind('grpc');
  if (kind === 'many') {
    for (let n = 1; n < MANY; n += 1) mocks.create({ method: `bench.Other${n}/Get`, response: USER });
  }
  mocks.create({ method: 'bench.Users/Get', response: USER });
  process.send({ port: host.kind('grpc').address.port });
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-bench-'));
  const file = join(folder, 'bench.proto');
  const cases = [];
  try {
    await writeFile(file, PROTO);
    const { bench } = grpcJs.loadPackageDefinition(loadSync(file, LOADING));
    for (const [kind, label] of [
      ['bare', 'bare grpc-js'],
      ['one', '1 mock'],
      ['many', `${MANY.toLocaleString('en')} mocks`],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${kind}`, file]);
      const port = await new Promise((resolve, reject) => {
        child.once('message', (told) => resolve(told.port));
        child.once('exit', () => reject(new Error(`the ${kind} server did not start`)));
      });
      const client = new bench.Users(`127.0.0.1:${port}`, grpcJs.credentials.createInsecure());
      cases.push({ label, child, client, rates: [], costs: [] });
    }
    for (const each of cases) await load(each.client, 1);
    // In turns, so that whatever else the machine does meets all alike.
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each.child);
        const { rate, answered } = await load(each.client, SECONDS);
        each.rates.push(rate);
        each.costs.push(((await cpuOf(each.child)) - before) / answered);
      }
    }
    report(cases);
  } finally {
    for (const { child, client } of cases) {
      client.close();
      child.kill();
    }
    await rm(folder, { recursive: true, force: true });
  }
}

/** Keeps so many calls under way. */
function load(client, seconds) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const end = begin + seconds * 1000;
    let answered = 0;
    let running = 0;
    const next = () => {
      if (performance.now() >= end) {
        if (running === 0) resolve({ rate: (answered * 1000) / (performance.now() - begin), answered });
        return;
      }
      running += 1;
      client.Get({ id: '5', name: 'Bob' }, (error, user) => {
        running -= 1;
        if (error || user.name !== USER.name) return reject(error ?? new Error('a wrong answer'));
        answered += 1;
        next();
      });
    };
    for (let started = 0; started < UNDER_WAY; started += 1) next();
  });
}

/** The processor time that a server has used, in microseconds. */
function cpuOf(child) {
  return new Promise((resolve) => {
    child.once('message', ({ user, system }) => resolve(user + system));
    child.send('usage');
  });
}

function report(cases) {
  const [bare, one, many] = cases;
  console.log(`gRPC, unary calls (median of ${ROUNDS} rounds of ${SECONDS} s, ${UNDER_WAY} under way)\n`);
  console.log(
    '| server | calls/s | of bare | at least | processor time per call |\n|---|---:|---:|---:|---:|',
  );
  for (const each of cases) {
    const ratio = median(each.rates.map((rate, round) => rate / bare.rates[round]));
    const cells = each === bare ? ['', ''] : [ratio.toFixed(2), '0.75'];
    console.log(
      `| ${each.label} | ${Math.round(median(each.rates))} | ${cells.join(' | ')} | ${median(each.costs).toFixed(1)} us |`,
    );
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n1,000 mocks of 1 mock: ${flat.toFixed(2)}`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
