// What a space costs: the time to make one, the memory of one that is idle, and 500 side by side. Prints a table.
import { createHost } from '@backlot/core';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const KINDS = [
  ...['http', 'websocket', 'grpc', 'graphql', 'tcp', 'redis', 'smtp', 'mqtt', 'nats', 'snmp'],
  ...['dns', 'amqp', 'kafka', 'ldap', 'imap', 'ftp', 'memcached', 'stomp', 'coap', 'sip'],
];
const MOCKS = 100;
const MANY = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** What so much of all are below. */
function partOf(values, part) {
  const sorted = [...values].sort((one, other) => one - other);
  return (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
}

/** Bytes that are held now. */
function held() {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const protocols = await Promise.all(
  KINDS.map(async (kind) =>
    Object.values(await import(`@backlot/${kind}`)).find((each) => each?.kind === kind),
  ),
);
const mocks = Array.from({ length: MOCKS }, (_, n) => ({
  id: `m${n}`,
  request: { path: `/m/${n}` },
  response: { body: `{{request.path}} ${n}` },
}));
const host = await createHost({ protocols, settings: { http: { mocks } }, host: '127.0.0.1' });
await host.start();

console.log(`Spaces of a server with ${KINDS.length} protocols and ${MOCKS} mocks\n`);
console.log(
  '| Started in each      | Spaces | Median ms | 99 of 100 ms | Processor, median | 99 of 100 ms | KB each |',
);
console.log(
  '| -------------------- | -----: | --------: | -----------: | ----------------: | -----------: | ------: |',
);
for (const [kinds, count] of [
  [[], MANY],
  [['http', 'redis', 'kafka'], MANY],
]) {
  // What the first one loads stays.
  await host.spaces.create({ id: 'first', protocols: kinds });
  const before = held();
  const times = [];
  const works = [];
  for (let n = 0; n < count; n += 1) {
    const usage = process.cpuUsage();
    const began = performance.now();
    await host.spaces.create({ id: `s${n}`, protocols: kinds });
    times.push(performance.now() - began);
    // Where others want the processors too, the time says less than this.
    const { user, system } = process.cpuUsage(usage);
    works.push((user + system) / 1000);
  }
  const each = (held() - before) / count / 1024;
  const columns = [
    (kinds.join(', ') || 'nothing').padEnd(20),
    String(count).padStart(6),
    partOf(times, 0.5).padStart(9),
    partOf(times, 0.99).padStart(12),
    partOf(works, 0.5).padStart(17),
    partOf(works, 0.99).padStart(12),
    each.toFixed(0).padStart(7),
  ];
  console.log(`| ${columns.join(' | ')} |`);
  for (const { id } of host.spaces.list()) await host.spaces.remove(id);
}
await host.stop(0);
