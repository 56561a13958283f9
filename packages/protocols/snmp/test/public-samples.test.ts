import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { itWithTool } from '@backlot/conformance';
import { importFile, readImport, type Imported, type ImportReport, type Json } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { afterEach, describe, expect, it } from '@jest/globals';
import { importers } from '../src/imports/importers.js';
import { cleanUp, linesOf, run, startHost } from './support.js';

afterEach(cleanUp);

/** The text of a file that snmpsim has. */
function read(name: string): string {
  const bytes = readFileSync(new URL(`samples/${name}`, import.meta.url));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

function convert(name: string): { imported: Imported; report: ImportReport; values: Map<string, Json> } {
  const file = importFile({ name: name.replace(/\.gz$/, ''), content: read(name) });
  const { imported, report } = runAtOnce(readImport(file, importers, { seed: 1 }));
  const mocks = imported.protocols?.['snmp']?.['mocks'] as readonly (Json & { oid: string })[];
  return { imported, report, values: new Map(mocks.map((mock) => [mock.oid, mock])) };
}

describe('a walk of snmpwalk', () => {
  it('is taken whole, but for its last line', () => {
    const { report, values } = convert('linux.snmpwalk.gz');
    // The lines of the file that begin with an OID are its values; a text may go over several lines.
    const names = read('linux.snmpwalk.gz').match(/^\.\d+(\.\d+)+ = /gm) ?? [];
    expect(report).toMatchObject({ format: 'snmpwalk', taken: { 'snmp mocks': names.length - 1 } });
    expect(values.size).toBe(names.length - 1);
    expect(report.refused).toEqual([
      {
        place: `line ${linesOf(read('linux.snmpwalk.gz')).length}`,
        message: 'a line that names no value, such as "No more variables", is left out',
        count: 1,
      },
    ]);
    expect(report.approximated).toEqual([
      {
        place: 'line 3',
        message: 'a number without a type is taken as Timeticks, which -Ot writes so',
        count: 32,
      },
    ]);
    expect(values.get('1.3.6.1.2.1.2.2.1.22.1')).toMatchObject({ type: 'oid', value: '0.0' });
  });

  itWithTool('snmpbulkwalk', 'is what snmpbulkwalk reads of the server', async () => {
    const { imported } = convert('linux.snmpwalk.gz');
    const host = await startHost({ ...imported.protocols?.['snmp'] });
    for (const below of ['.1.3.6.1.2.1.1', '.1.3.6.1.4.1.2021.10.1.6', '.1.3.6.1.2.1.4.20']) {
      const { out } = await run('snmpbulkwalk', host, ['-v2c', '-cpublic', '-Ot'], [below]);
      const expected = linesOf(read('linux.snmpwalk.gz')).filter((line) => line.startsWith(`${below}.`));
      expect(expected.length).toBeGreaterThan(2);
      expect(linesOf(out).map((line) => line.replace(/= STRING: "(.*)"$/, '= STRING: $1'))).toEqual(expected);
    }
  });
});

describe('recordings of snmpsim', () => {
  it('are taken whole, value by value', () => {
    const { report, values } = convert('linksys-system.snmprec');
    expect(report).toMatchObject({ format: 'snmprec', taken: { 'snmp mocks': 7 }, refused: [] });
    expect([...values.values()].map(({ type, value }) => [type, value])).toEqual([
      ['string', 'BEFSX41'],
      ['oid', '1.3.6.1.4.1.3955.1.1'],
      ['timeticks', 638239],
      ['string', 'Linksys'],
      ['string', 'isp-gw'],
      ['string', '4, Petersburger strasse, Berlin, Germany'],
      ['timeticks', 4],
    ]);
  });

  itWithTool('snmpget', 'are served in full, with addresses that are written as octets', async () => {
    const { imported, report, values } = convert('linux-full-walk.snmprec.gz');
    expect(report).toMatchObject({ refused: [], approximated: [] });
    expect(values.size).toBe(linesOf(read('linux-full-walk.snmprec.gz')).length);
    const host = await startHost({ ...imported.protocols?.['snmp'] });
    const peer = '.1.3.6.1.2.1.6.13.1.4.195.218.254.105.51620.74.125.77.125.5222';
    const oids = [peer, '.1.3.6.1.2.1.2.2.1.22.1', '.1.3.6.1.4.1.2021.10.1.6.1'];
    const { out } = await run('snmpget', host, ['-v2c', '-cpublic'], oids);
    expect(linesOf(out)).toEqual([
      `${peer} = IpAddress: 74.125.77.125`,
      '.1.3.6.1.2.1.2.2.1.22.1 = OID: .0.0',
      '.1.3.6.1.4.1.2021.10.1.6.1 = Opaque: Float: 0.460000',
    ]);
  });
});
