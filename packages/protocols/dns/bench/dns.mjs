// What a query costs: node:dgram with dns-packet against this plugin with 1 and with 10,000 mocks; dnsmasq, where it is
// installed, for scale. dnsperf makes the load, or a client of node:dgram without it.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHost } from '@backlot/core';
import { dns } from '@backlot/dns';
import {
  compareServers,
  isInstalled,
  listenDatagrams,
  loadDatagrams,
  serveMocks,
  startProgram,
} from '@backlot/tooling/bench';
import packet from 'dns-packet';

const MANY = 10_000;
const UNDER_WAY = 64;

const nameOf = (n) => `host${n}.example.com`;
const addressOf = (n) => `192.0.${n >> 8}.${n & 255}`;
const queryOf = (n, count) =>
  packet.encode({ type: 'query', id: n & 0xffff, questions: [{ type: 'A', name: nameOf(n % count) }] });
const serve = serveMocks(createHost, dns, (n) => ({ name: nameOf(n), records: [addressOf(n)] }));
let files;

await compareServers(import.meta.url, {
  name: 'dns',
  unit: 'answer',
  servers: { bare: () => listenDatagrams(answer), one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare dgram + dns-packet', server: 'bare' },
    { label: '1 mock', server: 'one' },
    { label: '10,000 mocks', server: 'many', count: MANY },
  ],
  others: async (folder) => {
    files = { 1: join(folder, 'one'), [MANY]: join(folder, 'many') };
    for (const [count, file] of Object.entries(files))
      writeFileSync(file, Array.from({ length: Number(count) }, (_, n) => `${nameOf(n)} A\n`).join(''));
    return [await startDnsmasq()];
  },
  load: isInstalled('dnsperf') ? dnsperf : dgramClient,
  ratios: [
    { what: '10,000 mocks', of: '1 mock' },
    { what: '1 mock', of: 'dnsmasq', goal: 0.8 },
  ],
});

function answer(octets) {
  const { id, questions } = packet.decode(octets);
  return packet.encode({
    type: 'response',
    id,
    flags: packet.AUTHORITATIVE_ANSWER,
    questions,
    answers: [{ type: 'A', name: questions[0].name, ttl: 60, data: '192.0.2.1' }],
  });
}

async function startDnsmasq() {
  const started = await startProgram(
    'dnsmasq',
    (port) => [
      ...['--no-daemon', '--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--bind-interfaces'],
      ...['--listen-address=127.0.0.1', `--user=${userInfo().username}`, `--port=${port}`],
      `--address=/${nameOf(0)}/192.0.2.1`,
    ],
    { datagram: queryOf(0, 1) },
  );
  return started && { label: 'dnsmasq', ...started };
}

async function dnsperf({ label, port, count = 1 }, milliseconds) {
  const limits = [
    '-l',
    String(Math.ceil(milliseconds / 1000)),
    '-c',
    '4',
    '-q',
    String(UNDER_WAY),
    '-t',
    '1',
  ];
  const { stdout } = await promisify(execFile)('dnsperf', [
    ...['-s', '127.0.0.1', '-p', String(port), '-d', files[count]],
    ...limits,
  ]);
  const number = (pattern) => Number(pattern.exec(stdout)?.[1]);
  const answered = number(/Queries completed:\s+(\d+)/);
  if (number(/NOERROR (\d+)/) !== answered)
    throw new Error(`not every answer of ${label} was good:\n${stdout}`);
  return { count: answered, milliseconds: (answered / number(/Queries per second:\s+([\d.]+)/)) * 1000 };
}

function dgramClient({ port, count = 1 }, milliseconds) {
  return loadDatagrams({ port, milliseconds, underWay: UNDER_WAY, ask: (n) => queryOf(n, count) });
}
