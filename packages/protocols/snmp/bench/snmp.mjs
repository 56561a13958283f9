// What a GET (v2c) costs: a bare agent of net-snmp with a scalar against this plugin with 1 and with 10,000 mocks, GETNEXT
// over 10,000 too; snmpd, where it is installed, for scale.
import { writeFileSync } from 'node:fs';
import { createHost } from '@backlot/core';
import { snmp } from '@backlot/snmp';
import { compareServers, freePort, loadDatagrams, serveMocks, startProgram } from '@backlot/tooling/bench';
import net from 'net-snmp';

const MANY = 10_000;
const GET = 0xa0;
const GETNEXT = 0xa1;
const SYSTEM_NAME = [1, 3, 6, 1, 2, 1, 1, 5, 0];
const OBJECT = [1, 3, 6, 1, 4, 1, 99, 1];
/** Of a Response-PDU whose error-status is 0, before the bindings. */
const SUCCESS = Buffer.from('020100020100', 'hex');

/** `.0` for the scalar of one, `.n` for the rows of many. */
const oidOf = (row) => [...OBJECT, row];
const serve = serveMocks(createHost, snmp, (row) => ({ oid: oidOf(row).join('.'), value: 'Mock router' }));
const packets = (type, count) => Array.from({ length: count }, (_, row) => request(type, oidOf(row)));

await compareServers(import.meta.url, {
  name: 'snmp',
  unit: 'request',
  servers: { bare: serveBare, one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare net-snmp agent, GET', server: 'bare', packets: packets(GET, 1) },
    { label: '1 mock, GET', server: 'one', packets: packets(GET, 1) },
    { label: '10,000 mocks, GET', server: 'many', packets: packets(GET, MANY) },
    { label: '10,000 mocks, GETNEXT', server: 'many', packets: packets(GETNEXT, MANY - 1) },
  ],
  others: async (folder) => [await startSnmpd(folder)],
  load: ({ port, packets }, milliseconds) =>
    loadDatagrams({
      port,
      milliseconds,
      ask: (n) => packets[n % packets.length],
      isGood: (octets) => octets.includes(SUCCESS),
    }),
  ratios: [
    { what: '10,000 mocks, GET', of: '1 mock, GET' },
    { what: '1 mock, GET', of: 'bare net-snmp agent, GET', goal: 1.4 },
  ],
});

async function serveBare() {
  const port = await freePort('udp');
  const agent = net.createAgent({ port, address: '127.0.0.1', accessControlModelType: 0 }, () => undefined);
  agent.getAuthorizer().addCommunity('public');
  agent.getMib().registerProvider({
    name: 'router',
    type: net.MibProviderType.Scalar,
    oid: OBJECT.join('.'),
    scalarType: net.ObjectType.OctetString,
    maxAccess: net.MaxAccess['read-only'],
  });
  agent.getMib().setScalarValue('router', 'Mock router');
  return port;
}

async function startSnmpd(folder) {
  writeFileSync(`${folder}/snmpd.conf`, 'rocommunity public\nsysName router\n');
  const packet = request(GET, SYSTEM_NAME);
  const files = ['-C', '-c', `${folder}/snmpd.conf`, '-p', `${folder}/pid`];
  const started = await startProgram('snmpd', (port) => ['-f', '-Ln', ...files, `udp:127.0.0.1:${port}`], {
    datagram: packet,
    env: { SNMP_PERSISTENT_DIR: folder, MIBS: '' },
  });
  return started && { label: 'snmpd, GET', ...started, packets: [packet] };
}

function request(type, oid) {
  const binding = element(0x30, element(0x06, encodeOid(oid)), Buffer.from([5, 0]));
  const pdu = element(type, Buffer.from('020401020304020100020100', 'hex'), element(0x30, binding));
  return element(0x30, Buffer.from([2, 1, 1]), element(0x04, Buffer.from('public')), pdu);
}

function element(tag, ...contents) {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

function encodeOid([first, second, ...rest]) {
  return Buffer.from([
    first * 40 + second,
    ...rest.flatMap((n) => (n < 128 ? [n] : [(n >> 7) | 128, n & 127])),
  ]);
}
