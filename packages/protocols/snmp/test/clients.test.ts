import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import net from 'net-snmp';
import { itWithTool, runTool } from '@backlot/conformance';
import type { Host } from '@backlot/core';
import { cleanups, cleanUp, linesOf, portOf, run, startHost } from './support.js';

const V1 = ['-v1', '-cpublic'];
const V2C = ['-v2c', '-cpublic'];
const IF = '1.3.6.1.2.1.2.2';
const HC_IN = '1.3.6.1.2.1.31.1.1.1.6.1';

/** System scalars, a table of interfaces, a Counter64, and one of every type. */
const MOCKS = [
  { id: 'descr', oid: '1.3.6.1.2.1.1.1.0', value: 'Mock router' },
  { id: 'object-id', oid: '1.3.6.1.2.1.1.2.0', type: 'oid', value: '1.3.6.1.4.1.9.1.1' },
  { id: 'uptime', oid: '.1.3.6.1.2.1.1.3.0', type: 'timeticks', value: 123456 },
  ...[1, 2, 10].flatMap((index) => [
    { oid: `${IF}.1.1.${index}`, type: 'int', value: index },
    { oid: `${IF}.1.2.${index}`, type: 'octetstring', value: `eth${index}` },
    { oid: `${IF}.1.5.${index}`, type: 'gauge32', value: 4294967295 },
    { oid: `${IF}.1.10.${index}`, type: 'counter32', value: String(1000 * index) },
  ]),
  { id: 'hc', oid: HC_IN, type: 'counter64', value: '18446744073709551615' },
  { oid: '1.3.6.1.4.1.99.1.0', type: 'ipaddress', value: '192.0.2.1' },
  { oid: '1.3.6.1.4.1.99.2.0', type: 'null' },
  { oid: '1.3.6.1.4.1.99.3.0', type: 'opaque', value: '01 02 03' },
  { oid: '1.3.6.1.4.1.99.4.0', type: 'hex', value: 'de:ad:be:ef' },
  { oid: '1.3.6.1.4.1.99.5.0', type: 'integer', value: -2147483648 },
  { oid: '1.3.6.1.4.1.99.6.0', type: 'counter64', value: 255 },
  { oid: '2.999.4294967295.1', type: 'objectidentifier', value: '2.999.1' },
];

const start = (): Promise<Host> => startHost({ mocks: MOCKS });

afterEach(cleanUp);

describe('snmpget', () => {
  itWithTool('snmpget', 'reads a value of every type', async () => {
    const host = await start();
    const oids = [0, 1, 2, 4, 5, 6].map((place) => MOCKS[place]?.oid ?? '');
    const { out } = await run('snmpget', host, V2C, [...oids, ...MOCKS.slice(15).map(({ oid }) => oid)]);
    expect(linesOf(out)).toEqual([
      '.1.3.6.1.2.1.1.1.0 = STRING: "Mock router"',
      '.1.3.6.1.2.1.1.2.0 = OID: .1.3.6.1.4.1.9.1.1',
      '.1.3.6.1.2.1.1.3.0 = Timeticks: (123456) 0:20:34.56',
      `.${IF}.1.2.1 = STRING: "eth1"`,
      `.${IF}.1.5.1 = Gauge32: 4294967295`,
      `.${IF}.1.10.1 = Counter32: 1000`,
      `.${HC_IN} = Counter64: 18446744073709551615`,
      '.1.3.6.1.4.1.99.1.0 = IpAddress: 192.0.2.1',
      '.1.3.6.1.4.1.99.2.0 = NULL',
      expect.stringMatching(/^\.1\.3\.6\.1\.4\.1\.99\.3\.0 = OPAQUE:\s+01 02 03 $/),
      '.1.3.6.1.4.1.99.4.0 = Hex-STRING: DE AD BE EF ',
      '.1.3.6.1.4.1.99.5.0 = INTEGER: -2147483648',
      '.1.3.6.1.4.1.99.6.0 = Counter64: 255',
      '.2.999.4294967295.1 = OID: .2.999.1',
    ]);
  });

  itWithTool('snmpget', 'is told what is not there as each version tells it', async () => {
    const host = await start();
    const oids = ['1.3.6.1.2.1.1.1.0', `${IF}.1.2.3`, '1.3.6.1.2.1.99.1.0'];
    const { out } = await run('snmpget', host, V2C, oids);
    expect(linesOf(out)).toEqual([
      '.1.3.6.1.2.1.1.1.0 = STRING: "Mock router"',
      `.${IF}.1.2.3 = No Such Instance currently exists at this OID`,
      '.1.3.6.1.2.1.99.1.0 = No Such Object available on this agent at this OID',
    ]);
    const one = await run('snmpget', host, [...V1, '-Cf'], oids);
    expect(one.err).toContain('(noSuchName) There is no such variable name in this MIB.');
    expect(one.err).toContain(`Failed object: .${IF}.1.2.3`);
    const counter64 = await run('snmpget', host, [...V1, '-Cf'], [HC_IN]);
    expect(counter64.err).toContain('noSuchName');
  });

  itWithTool('snmpget', 'asks over IPv6 too, where the host has it', async () => {
    const host = await startHost({ host: '::1', mocks: MOCKS });
    const { out } = await runTool('snmpget', [
      '-On',
      ...V2C,
      `udp6:[::1]:${portOf(host)}`,
      '1.3.6.1.2.1.1.1.0',
    ]);
    expect(out.trim()).toBe('.1.3.6.1.2.1.1.1.0 = STRING: "Mock router"');
    expect(host.journal.list()[0]?.['remote']).toMatch(/^\[::1\]:\d+$/);
  });

  itWithTool('snmpget', 'hears nothing with another community', async () => {
    const host = await start();
    const { err } = await run('snmpget', host, ['-v2c', '-cprivate', '-t', '0.3'], ['1.3.6.1.2.1.1.1.0']);
    expect(err).toContain('Timeout: No Response');
    expect(host.journal.list()).toEqual([]);
  });
});

describe('walks', () => {
  itWithTool('snmpgetnext', 'go on in lexicographic order', async () => {
    const host = await start();
    const { out } = await run('snmpgetnext', host, V2C, [`${IF}.1.1.2`, `${IF}.1.1.10`, '1.3.6.1.2.1.1.3']);
    expect(linesOf(out)).toEqual([
      `.${IF}.1.1.10 = INTEGER: 10`,
      `.${IF}.1.2.1 = STRING: "eth1"`,
      '.1.3.6.1.2.1.1.3.0 = Timeticks: (123456) 0:20:34.56',
    ]);
  });

  itWithTool('snmpwalk', 'end where the mocks end, in every version', async () => {
    const host = await start();
    const two = await run('snmpwalk', host, V2C, ['.1']);
    expect(two.code).toBe(0);
    const lines = linesOf(two.out);
    expect(lines.slice(3, 10).map((line) => line.split(' ')[0])).toEqual(
      ['1.1', '1.2', '1.10', '2.1', '2.2', '2.10', '5.1'].map((part) => `.${IF}.1.${part}`),
    );
    // All but the one that is not below .1, which shows that the walk goes past its end.
    expect(lines.filter((line) => line.includes(' = '))).toHaveLength(MOCKS.length - 1);
    const past = await run('snmpwalk', host, V2C, ['2.999']);
    expect(linesOf(past.out)).toEqual([
      '.2.999.4294967295.1 = OID: .2.999.1',
      '.2.999.4294967295.1 = No more variables left in this MIB View (It is past the end of the MIB tree)',
    ]);
    const bulk = await run('snmpbulkwalk', host, V2C, ['.1']);
    expect(bulk.out).toBe(two.out);
    const one = await run('snmpwalk', host, V1, ['.1']);
    // A Counter64 does not exist for SNMPv1.
    expect(linesOf(one.out)).toEqual(lines.filter((line) => !line.includes('Counter64')));
  });

  itWithTool('snmpbulkget', 'take non-repeaters and repetitions apart', async () => {
    const host = await start();
    const words = [...V2C, '-Cn1', '-Cr2'];
    const { out } = await run('snmpbulkget', host, words, [
      '1.3.6.1.2.1.1.1',
      `${IF}.1.1`,
      '2.999.4294967295',
    ]);
    expect(linesOf(out)).toEqual([
      '.1.3.6.1.2.1.1.1.0 = STRING: "Mock router"',
      `.${IF}.1.1.1 = INTEGER: 1`,
      '.2.999.4294967295.1 = OID: .2.999.1',
      `.${IF}.1.1.2 = INTEGER: 2`,
      '.2.999.4294967295.1 = No more variables left in this MIB View (It is past the end of the MIB tree)',
    ]);
  });

  itWithTool('snmptable', 'fill tables', async () => {
    const host = await start();
    // Debian has no MIBs of the IETF; net-snmp's package for Node brings some.
    const mibs = join(dirname(createRequire(import.meta.url).resolve('net-snmp')), 'lib/mibs');
    const words = [...V2C, '-M', mibs, '-m', 'IF-MIB', '-OS', '-Cf', ','];
    const { out } = await run('snmptable', host, words, ['IF-MIB::ifTable']);
    const rows = linesOf(out).map((line) => line.split(','));
    expect(rows.slice(-4).map((cells) => [cells[0], cells[1], cells[2], cells[4], cells[9]])).toEqual([
      ['ifIndex', 'ifDescr', 'ifType', 'ifSpeed', 'ifInOctets'],
      ['1', 'eth1', '?', '4294967295', '1000'],
      ['2', 'eth2', '?', '4294967295', '2000'],
      ['10', 'eth10', '?', '4294967295', '10000'],
    ]);
  });

  it('go on with a wide table in as many datagrams as it takes', async () => {
    const mocks = Array.from({ length: 3_000 }, (_, row) => ({
      oid: `1.3.6.1.4.1.99.1.${row + 1}`,
      value: 'x'.repeat(100),
    }));
    const host = await startHost({ mocks });
    const session = open(host);
    const rows: string[] = [];
    await new Promise<void>((resolve, reject) =>
      session.subtree(
        '1.3.6.1.4.1.99.1',
        100,
        (varbinds) => void rows.push(...varbinds.map(({ oid }) => oid)),
        (error) => (error ? reject(error) : resolve()),
      ),
    );
    expect(rows).toEqual(mocks.map(({ oid }) => oid));
  });
});

describe("net-snmp's session", () => {
  it('gets, walks and reads tables', async () => {
    const host = await start();
    const session = open(host);
    const got = await new Promise((resolve, reject) =>
      session.get([HC_IN, '1.3.6.1.2.1.1.1.0'], (error, varbinds) =>
        error ? reject(error) : resolve(varbinds),
      ),
    );
    expect(got).toEqual([
      { oid: HC_IN, type: net.ObjectType.Counter64, value: Buffer.from('00ffffffffffffffff', 'hex') },
      { oid: '1.3.6.1.2.1.1.1.0', type: net.ObjectType.OctetString, value: Buffer.from('Mock router') },
    ]);
    const table = await new Promise((resolve, reject) =>
      session.table(IF, 20, (error, rows) => (error ? reject(error) : resolve(rows))),
    );
    expect(table).toEqual(
      Object.fromEntries(
        [1, 2, 10].map((index) => [
          index,
          { 1: index, 2: Buffer.from(`eth${index}`), 5: 4294967295, 10: 1000 * index },
        ]),
      ),
    );
  });
});

function open(host: Host): net.Session {
  const session = net.createSession('127.0.0.1', 'public', { port: portOf(host), version: net.Version2c });
  cleanups.push(() => session.close());
  return session;
}
