import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHost, type Host } from '@backlot/core';
import { itWithTool, runTool } from '@backlot/conformance';
import { snmp } from '../src/index.js';
import { loadMibs, STANDARD_NAMES } from '../src/mib/load-mibs.js';
import { MibNames } from '../src/mib/mib-names.js';
import { readMib } from '../src/mib/read-mib.js';
import { STANDARD_MODULES as STANDARD } from '../src/mib/standard-modules.js';

/** Where Debian has the modules of Net-SNMP. */
const DEBIAN = '/usr/share/snmp/mibs';
const hosts: Host[] = [];
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backlot-mibs-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop(0)));
});

async function start(mocks: readonly object[], config: object = {}): Promise<Host> {
  const host = await createHost({
    protocols: [snmp],
    settings: { snmp: { host: '127.0.0.1', port: 0, mocks: mocks as never, ...config } },
    seed: 1,
  });
  hosts.push(host);
  await host.start();
  return host;
}

const COMPANY = `
-- a comment with "an open text -- and then
COMPANY-MIB { iso 1 } DEFINITIONS ::= BEGIN
IMPORTS enterprises, OBJECT-TYPE FROM SNMPv2-SMI
        acme FROM ACME-ROOT;
boxes MODULE-IDENTITY
  LAST-UPDATED "202001010000Z"
  DESCRIPTION "Holds no fans OBJECT-TYPE ::= { acme 9 } -- not a comment"
  ::= { acme 7 }
fans OBJECT-TYPE
  SYNTAX INTEGER { slow(1), fast(2) }
  DEFVAL { slow }
  ::= { boxes 1 }
Entry ::= SEQUENCE { fanSpeed INTEGER }
deep OBJECT IDENTIFIER ::= { iso org(3) dod(6) 1 4 1 99999 }
fanTrap TRAP-TYPE ENTERPRISE acme ::= 5
lost OBJECT-TYPE SYNTAX INTEGER ::= { nowhere 1 }
loop OBJECT-TYPE SYNTAX INTEGER ::= { loop 1 }
sysDescr OBJECT-TYPE SYNTAX INTEGER ::= { boxes 3 }
END
ACME-ROOT DEFINITIONS ::= BEGIN
acme OBJECT IDENTIFIER ::= { enterprises 4711 }
END`;

describe('names of MIB modules', () => {
  it.each([
    ['sysDescr.0', '1.3.6.1.2.1.1.1.0'],
    ['SNMPv2-MIB::sysUpTime.0', '1.3.6.1.2.1.1.3.0'],
    ['IF-MIB::ifDescr.1', '1.3.6.1.2.1.2.2.1.2.1'],
    ['ifHCInOctets.3', '1.3.6.1.2.1.31.1.1.1.6.3'],
    ['hrSystemUptime.0', '1.3.6.1.2.1.25.1.1.0'],
    ['tcpCurrEstab.0', '1.3.6.1.2.1.6.9.0'],
    ['udpInDatagrams.0', '1.3.6.1.2.1.7.1.0'],
    ['ipForwarding.0', '1.3.6.1.2.1.4.1.0'],
    ['enterprises.9.1', '1.3.6.1.4.1.9.1'],
    ['.1.3.6.1', '1.3.6.1'],
  ])('stand for OIDs without a file: %s', (name, oid) => expect(STANDARD_NAMES.read(name)).toBe(oid));

  it('come from modules, whose texts and comments are no part of them', () => {
    const names = new MibNames([...readMib(COMPANY), ...readMib('IF-MIB'), ...standard()]);
    expect(names.read('COMPANY-MIB::fans.0')).toBe('1.3.6.1.4.1.4711.7.1.0');
    expect(names.read('deep.1')).toBe('1.3.6.1.4.1.99999.1');
    expect(names.read('SNMPv2-MIB::sysDescr.0')).toBe('1.3.6.1.2.1.1.1.0');
    for (const [name, message] of [
      ['COMPANY-MIB::lost', 'COMPANY-MIB::lost is below nowhere, which is in no file of mibs'],
      ['loop.1', 'below itself'],
      ['sysDescr.0', 'another OID in several modules; say which, as in COMPANY-MIB::sysDescr'],
      ['fanTrap', 'no module that is known has the name fanTrap'],
      ['OTHER-MIB::x.1', 'no module OTHER-MIB is known; name its file in mibs'],
      ['IF-MIB::nothing', 'the module IF-MIB has no name nothing'],
      ['ifDescr.one', 'or a name with numbers behind it such as IF-MIB::ifDescr.1'],
      ['fans.4294967296', 'must be an OID such as'],
    ] as const)
      expect(() => names.read(name)).toThrow(message);
  });

  it('reads whatever there is in a file to its end', () => {
    for (let cut = 0; cut < COMPANY.length; cut += 7) {
      for (const text of [
        COMPANY.slice(0, cut),
        COMPANY.slice(cut),
        COMPANY.slice(0, cut) + COMPANY.slice(cut + 5),
      ])
        expect(Array.isArray(readMib(text))).toBe(true);
    }
    const began = process.cpuUsage().user;
    expect(readMib(`A DEFINITIONS ::= BEGIN ${'a OBJECT IDENTIFIER ::= { b '.repeat(100_000)}`)).toHaveLength(
      1,
    );
    expect(readMib(`A DEFINITIONS ::= BEGIN ${'-- "'.repeat(200_000)}`)).toHaveLength(1);
    expect(process.cpuUsage().user - began).toBeLessThan(5_000_000);
  });

  itWithTool('snmptranslate', 'are those that snmptranslate finds', async () => {
    const modules = join(folder, 'translated');
    mkdirSync(modules);
    writeFileSync(
      join(modules, 'FAN-MIB.txt'),
      `FAN-MIB DEFINITIONS ::= BEGIN
      acme OBJECT IDENTIFIER ::= { iso org(3) dod(6) internet(1) private(4) enterprises(1) 4711 }
      fans OBJECT IDENTIFIER ::= { acme 1 -- fans -- 2 }
      speed OBJECT-TYPE SYNTAX INTEGER { slow(1) } ACCESS read-only STATUS mandatory
        DESCRIPTION "the speed ::= { acme 3 }" ::= { fans 3 }
      END`,
    );
    const names = loadMibs([modules]);
    for (const name of ['acme', 'fans', 'speed']) {
      const { out } = await runTool('snmptranslate', [
        '-M',
        modules,
        '-m',
        'FAN-MIB',
        '-On',
        `FAN-MIB::${name}.0`,
      ]);
      expect(out.trim()).toBe(`.${names.read(`FAN-MIB::${name}.0`)}`);
    }
    // What Debian has, without the modules of the IETF, which are not free there.
    expect(loadMibs([DEBIAN]).read('UCD-SNMP-MIB::memTotalReal.0')).toBe('1.3.6.1.4.1.2021.4.5.0');
  });

  itWithTool('snmpget', 'are what mocks answer for', async () => {
    mkdirSync(join(folder, 'modules'));
    writeFileSync(join(folder, 'modules', 'COMPANY-MIB.txt'), COMPANY);
    writeFileSync(join(folder, 'modules', 'notes.txt'), 'no module');
    const host = await start(
      [
        { oid: 'COMPANY-MIB::fans.0', value: 2 },
        { oid: 'IF-MIB::ifDescr.1', value: 'eth0' },
      ],
      { mibs: [join(folder, 'modules')] },
    );
    const { port } = host.kind('snmp').address ?? {};
    const { out } = await runTool('snmpget', [
      ...['-v2c', '-c', 'public', '-On', '-m', '', `127.0.0.1:${port}`],
      ...['1.3.6.1.4.1.4711.7.1.0', '1.3.6.1.2.1.2.2.1.2.1'],
    ]);
    expect(out).toBe('.1.3.6.1.4.1.4711.7.1.0 = INTEGER: 2\n.1.3.6.1.2.1.2.2.1.2.1 = STRING: "eth0"\n');
  });

  it('are refused with what would be right', async () => {
    await expect(start([{ oid: 'COMPANY-MIB::fans.0', value: 1 }])).rejects.toThrow(
      'no module COMPANY-MIB is known; name its file in mibs',
    );
    await expect(start([], { mibs: [join(folder, 'none')] })).rejects.toThrow('cannot be read: ENOENT');
    writeFileSync(join(folder, 'empty.txt'), 'nothing');
    await expect(start([], { mibs: [join(folder, 'empty.txt')] })).rejects.toThrow('holds no MIB module');
  });
});

function standard(): ReturnType<typeof readMib> {
  return ['SNMPv2-SMI', 'SNMPv2-MIB', 'IF-MIB'].flatMap((name) =>
    STANDARD.filter((module) => module.name === name),
  );
}
