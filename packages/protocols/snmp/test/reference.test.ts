import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { itWithTool, startServer } from '@backlot/conformance';
import { cleanups, cleanUp, portOf, runAt, startHost } from './support.js';

const SYSTEM = '1.3.6.1.2.1.1';
const DESCR = `${SYSTEM}.1.0`;
const NAME = `${SYSTEM}.5.0`;
const PLACE = `${SYSTEM}.6.0`;
const V1 = ['-v1', '-cprivate'];
const V2 = ['-v2c', '-cprivate'];

afterEach(cleanUp);

/** Starts the agent of Net-SNMP, which shows the system group alone; it is stopped after the test. */
async function startAgent(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-snmpd-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'snmpd.conf');
  writeFileSync(
    file,
    `view system included .${SYSTEM}
rwcommunity private default -V system
sysdescr Backlot
sysobjectid .1.3.6.1.4.1.47491
sysservices 72
syscontact ops
persistentDir ${folder}
`,
  );
  const server = await startServer(
    'snmpd',
    (port) => ['-f', '-Lo', '-C', '-c', file, '-p', join(folder, 'pid'), `udp:127.0.0.1:${port}`],
    'NET-SNMP version',
  );
  cleanups.push(() => server.stop());
  return server.port;
}

/** What each tool is asked, in order: its options, and what follows the address. */
const SESSION: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['snmpget', V2, [DESCR, `${SYSTEM}.2.0`, `${SYSTEM}.4.0`, `${SYSTEM}.7.0`]],
  ['snmpget', V1, [DESCR, `${SYSTEM}.2.0`]],
  ['snmpget', V2, [DESCR, `${SYSTEM}.1.1`, `${SYSTEM}.99.0`, '1.3.6.1.2.1.99.0']],
  ['snmpget', V1, [DESCR, `${SYSTEM}.99.0`]],
  ['snmpgetnext', V2, ['1.3', `${SYSTEM}.1`, DESCR, `${SYSTEM}.3.0`]],
  ['snmpgetnext', V1, [`${SYSTEM}.6`]],
  ['snmpgetnext', V2, ['1.3.6.1.2.2']],
  ['snmpgetnext', V1, ['1.3.6.1.2.2']],
  ['snmpbulkget', [...V2, '-Cn1', '-Cr3'], [SYSTEM, `${SYSTEM}.3`]],
  ['snmpbulkget', [...V2, '-Cn0', '-Cr2'], [`${SYSTEM}.6`, '1.3.6.1.2.2']],
  ['snmpwalk', V2, [`${SYSTEM}.2`]],
  ['snmpwalk', V2, [`${SYSTEM}.99`]],
  ['snmpwalk', V1, [`${SYSTEM}.7`]],
  ['snmpset', V2, [PLACE, 's', 'rack 9']],
  ['snmpset', V2, [PLACE, 'i', '9']],
  ['snmpset', V2, [DESCR, 's', 'x']],
  ['snmpset', V2, [PLACE, 's', 'one', `${SYSTEM}.99.0`, 's', 'x']],
  ['snmpset', V1, [PLACE, 'i', '9']],
  ['snmpget', V2, [PLACE, NAME]],
  ['snmpbulkwalk', V2, [`${SYSTEM}.6`]],
];

/** What the tools print of an agent. */
async function converse(port: number): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for (const [tool, words, oids] of SESSION) {
    const { out, err, code } = await runAt(tool, port, words, oids);
    const bare = (text: string): string =>
      text.replaceAll(/Timeticks: .*/g, 'Timeticks').replaceAll(/\(Expected no.*|Packet.*/g, '');
    told.push([tool, words, oids, bare(out), bare(err), code]);
  }
  return told;
}

itWithTool('snmpd snmpget', 'the tools of Net-SNMP are answered as by its agent', async () => {
  const host = await startHost({
    system: true,
    community: 'private',
    mocks: [
      { oid: PLACE, value: 'Unknown' },
      { oid: NAME, value: hostname() },
      { oid: `${SYSTEM}.4.0`, value: 'ops' },
    ],
  });
  expect(await converse(portOf(host))).toEqual(await converse(await startAgent()));
});
