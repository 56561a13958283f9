// What a query costs: a bare node:http server that reads the body and answers the same bytes, against this plugin with 1
// and with 1,000 mocks, told apart by name and by variable. wrk makes the load. Servers are processes of their own; cases
// take turns, since what else the machine does changes.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RESPONSE = { user: { id: '7', name: 'Alice', role: 'admin' } };
const ANSWER = JSON.stringify({ data: RESPONSE });
const MANY = 1000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CONNECTIONS = 50;
/** What the median must reach: of the bare server, and of one mock. */
const LEAST = { one: 0.5, names: 0.9, variables: 0.9 };

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

function requestOf(kind, n) {
  const name = kind === 'names' ? `GetUser${n}` : 'GetUser';
  const query = `query ${name}($id: ID!) { user(id: $id) { id name role } }`;
  return { query, variables: { id: kind === 'variables' ? String(n) : '7' }, operationName: name };
}

function mockOf(kind, n) {
  return {
    operation_type: 'query',
    operation_name: kind === 'names' ? `GetUser${n}` : 'GetUser',
    ...(kind === 'variables' ? { variables: { id: String(n) } } : {}),
    response: RESPONSE,
  };
}

async function serve(kind) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send(process.cpuUsage()));
  if (kind === 'bare') {
    const server = createServer((request, response) => {
      request.on('data', () => undefined);
      request.on('end', () => {
        response.writeHead(200, {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': ANSWER.length,
        });
        response.end(ANSWER);
      });
    });
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { graphql } = await import('@backlot/graphql');
  const host = await createHost({
    protocols: [graphql],
    settings: { graphql: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const count = kind === 'one' ? 1 : MANY;
  host.kind('graphql').mocks.createAll(Array.from({ length: count }, (_, n) => mockOf(kind, n)));
  process.send({ port: host.kind('graphql').address.port });
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-bench-'));
  const cases = [];
  try {
    for (const [kind, title] of [
      ['bare', 'bare node:http'],
      ['one', '1 mock'],
      ['names', `${MANY.toLocaleString('en')} mocks, by name`],
      ['variables', `${MANY.toLocaleString('en')} mocks, by variable`],
    ]) {
      const file = join(folder, kind);
      const count = kind === 'bare' || kind === 'one' ? 1 : MANY;
      const lines = Array.from({ length: count }, (_, n) => JSON.stringify(requestOf(kind, n)));
      await writeFile(file, `${lines.join('\n')}\n`);
      const child = fork(fileURLToPath(import.meta.url), [`server:${kind}`]);
      const [{ port }] = await once(child, 'message');
      cases.push({ kind, title, file, child, port, rates: [], costs: [] });
    }
    for (const each of cases) await load(each, 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of cases) {
        const before = await usage(each.child);
        const rate = await load(each, SECONDS);
        each.rates.push(rate);
        each.costs.push(((await usage(each.child)) - before) / (rate * SECONDS));
      }
    }
    print(cases);
  } finally {
    for (const { child } of cases) child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The processor time that a server has used, in microseconds. */
async function usage(child) {
  child.send('usage');
  const [{ user, system }] = await once(child, 'message');
  return user + system;
}

function print(cases) {
  console.log(
    `GraphQL, queries per second (median of ${ROUNDS} rounds of ${SECONDS} s, wrk, ${CONNECTIONS} connections)\n`,
  );
  console.log('| server | queries/s | ratio | at least | processor time per query |');
  console.log('|---|---:|---:|---:|---:|');
  const [bare, one] = cases.map(({ rates }) => median(rates));
  for (const { kind, title, rates, costs } of cases) {
    const rate = median(rates);
    const least = LEAST[kind];
    const ratio = rate / (kind === 'one' ? bare : one);
    const shown =
      least === undefined
        ? '| |'
        : `${ratio.toFixed(2)} of ${kind === 'one' ? 'bare' : '1 mock'} | ${least} |`;
    console.log(
      `| ${title} | ${Math.round(rate).toLocaleString('en')} | ${shown} ${median(costs).toFixed(1)} µs |`,
    );
    if (least !== undefined && ratio < least) process.exitCode = 1;
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function load({ port, file }, seconds) {
  const script = fileURLToPath(new URL('./requests.lua', import.meta.url));
  const address = `http://127.0.0.1:${port}`;
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, address, '--', file];
  return new Promise((resolve, reject) => {
    execFile('wrk', args, (error, out) => {
      const found = /Requests\/sec:\s+([\d.]+)/.exec(out ?? '');
      if (error !== null || found === null || /Non-2xx/.test(out)) {
        reject(new Error(`wrk failed (is it installed?): ${error?.message ?? out}`));
      } else resolve(Number(found[1]));
    });
  });
}
