// Gets a second: memcached itself (where it is installed) and a bare server of node:net against this plugin, one at a time
// over one connection and over 50, and pipelined over 50, from the store and from 1 and 10,000 mocks.
import { createHost } from '@backlot/core';
import { memcached } from '@backlot/memcached';
import {
  compareServers,
  connect,
  countByMark,
  listen,
  loadStreams,
  receiveUntil,
  startMocks,
  startProgram,
} from '@backlot/tooling/bench';

const MANY = 10_000;
const VALUE = 'x'.repeat(100);

const keyOf = (n) => `key:${n % MANY}`;
const response = { value: VALUE };
const keyed = Array.from({ length: MANY }, (_, n) => ({ command: 'get', key: keyOf(n), response }));
const serve = (mocks) => () => startMocks(createHost, memcached, mocks);
const load =
  (connections, underWay) =>
  ({ port }, milliseconds) =>
    loadStreams({
      port,
      milliseconds,
      connections,
      underWay,
      ask: (n, index) => `get ${keyOf(index * 617 + n)}\r\n`,
      counter: () => countByMark(`${VALUE}\r\nEND\r\n`),
    });

await compareServers(import.meta.url, {
  name: 'memcached',
  unit: 'get',
  servers: {
    bare: () => listen(answerBare),
    store: async () => fill(await serve([])()),
    one: serve([{ command: 'get', response }]),
    many: serve(keyed),
  },
  cases: [
    { label: 'bare node:net', server: 'bare' },
    { label: 'store', server: 'store' },
    { label: '1 mock', server: 'one' },
    { label: '10,000 mocks', server: 'many' },
  ],
  others: async () => {
    const started = await startProgram('memcached', (port) => {
      return ['-l', '127.0.0.1', '-p', port, '-U', '0', '-u', 'root'];
    });
    if (started !== undefined) await fill(started.port);
    return [started && { label: 'memcached', ...started }];
  },
  base: 'memcached',
  load: {
    'one connection': load(1, 1),
    '50 connections': load(50, 1),
    '50 connections, 50 at a time': load(50, 50),
  },
  ratios: [
    { what: '10,000 mocks', of: '1 mock' },
    { what: '1 mock', of: 'memcached', goal: 1, load: '50 connections' },
    { what: '1 mock', of: 'memcached', goal: 3, load: '50 connections, 50 at a time' },
  ],
});

/** Answers every line of a chunk with the same value, and knows nothing else. */
function answerBare(socket) {
  socket.on('data', (chunk) => {
    let out = '';
    for (const line of chunk.toString('latin1').split('\r\n'))
      if (line !== '') out += `VALUE ${line.slice(4)} 0 ${VALUE.length}\r\n${VALUE}\r\nEND\r\n`;
    socket.write(out, 'latin1');
  });
}

/** Stores a value under each key. */
async function fill(port) {
  const socket = await connect(port);
  const sets = keyed.map(({ key }) => `set ${key} 0 0 ${VALUE.length} noreply\r\n${VALUE}\r\n`);
  socket.write(`${sets.join('')}mn\r\n`);
  await receiveUntil(socket, 'MN\r\n');
  socket.destroy();
  return port;
}
