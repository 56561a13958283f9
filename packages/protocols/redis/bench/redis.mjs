// GETs a second, asked by redis-benchmark: redis-server (where it is installed) and a bare loop of RESP over node:net
// against this plugin with 1 and 10,000 mocks, and with data of its own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createHost } from '@backlot/core';
import { redis } from '@backlot/redis';
import { compareServers, listen, startMocks, startProgram } from '@backlot/tooling/bench';

const MANY = 10_000;
/** Requests for each millisecond of a load. */
const REQUESTS = 100;

const keyOf = (n) => `key:${String(n).padStart(12, '0')}`;
const serve =
  (keys, mode = 'mock') =>
  () => {
    const response = { type: 'bulk', value: 'xxx' };
    const mocks = keys.map((key) => ({ command: 'GET', key, response }));
    return startMocks(createHost, redis, mocks, { mode });
  };
const keys = Array.from({ length: MANY }, (_, n) => keyOf(n));

await compareServers(import.meta.url, {
  name: 'redis',
  unit: 'GET',
  servers: {
    bare: () => listen(answerBare),
    one: serve(['key:*']),
    many: serve(keys),
    wild: serve(keys.map((key) => `${key}*`)),
    stateful: serve([], 'stateful'),
  },
  cases: [
    { label: 'bare node:net', server: 'bare' },
    { label: '1 mock', server: 'one' },
    { label: '10,000 mocks', server: 'many' },
    { label: '10,000 wildcard mocks', server: 'wild' },
    { label: 'stateful', server: 'stateful' },
  ],
  others: async () => {
    const options = ['--save', '', '--appendonly', 'no'];
    const started = await startProgram('redis-server', (port) => ['--port', port, ...options]);
    return [started && { label: 'redis-server', ...started }];
  },
  base: 'redis-server',
  load: {
    'one at a time': ({ port }, milliseconds) => load(port, 1, milliseconds * REQUESTS),
    '16 at a time': ({ port }, milliseconds) => load(port, 16, milliseconds * REQUESTS * 5),
  },
  ratios: [
    { what: '10,000 mocks', of: '1 mock' },
    { what: '10,000 wildcard mocks', of: '1 mock', goal: 0.9, load: '16 at a time' },
    { what: '1 mock', of: 'redis-server', goal: 0.96, load: 'one at a time' },
    { what: '1 mock', of: 'redis-server', goal: 0.8, load: '16 at a time' },
    { what: '1 mock', of: 'bare node:net' },
  ],
});

/** Reads arrays of bulk strings and answers each with the same value. */
function answerBare(socket) {
  let rest = '';
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

/** @param pipeline how many requests a client has under way */
async function load(port, pipeline, requests) {
  const args = ['-p', port, '-c', 50, '-n', requests, '-P', pipeline, '-r', MANY, '--csv'];
  const { stdout } = await promisify(execFile)('redis-benchmark', [
    ...args.map(String),
    'GET',
    'key:__rand_int__',
  ]);
  const rate = Number(/"GET[^"]*","([\d.]+)"/.exec(stdout)?.[1]);
  return { count: requests, milliseconds: (requests / rate) * 1000 };
}
