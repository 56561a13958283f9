import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { exportSource, importFile, readImport, runExport, type Json } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect } from '@jest/globals';
import { exporters } from '../src/exports/exporters.js';
import { importers } from '../src/imports/importers.js';
import { dig, startHost } from './support.js';

const FILE = fileURLToPath(new URL('samples/zonefile_forward_2.txt', import.meta.url));

/** What dnspython reads in a zone file: one line for each name and type. */
const SCRIPT = `
import sys, dns.zone, dns.rdatatype
zone = dns.zone.from_file(sys.argv[1], relativize=False)
for name, rdataset in zone.iterate_rdatasets():
    print(name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(rdataset.rdtype), rdataset.ttl, *sorted(r.to_text().lower() for r in rdataset), sep='|')
`;

describe('a zone file of zone-file', () => {
  itWithTool('python3:dns.zone', 'is read as dnspython reads it, and its records are served', async () => {
    const file = importFile({ name: 'zonefile_forward_2.txt', content: readFileSync(FILE) });
    const { imported, report } = runAtOnce(readImport(file, importers, { seed: 1 }));
    expect(report).toMatchObject({ format: 'zone', taken: { 'dns mocks': 14 }, refused: [] });
    const mocks = imported.protocols?.['dns']?.['mocks'] as readonly (Json & { records: string[] })[];
    const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, FILE]);
    expect(err).toBe('');
    const ours = mocks.map(({ name, type, ttl, records }) =>
      [name, type, ttl, ...records.map((record) => record.toLowerCase()).toSorted()].join('|'),
    );
    expect(ours.toSorted()).toEqual(out.trim().split('\n').toSorted());
    const { host, port } = await startHost({ ...imported.protocols?.['dns'] });
    const [exporter] = exporters;
    if (exporter === undefined) throw new Error('there is no exporter');
    const written = runExport(exporter, exportSource(host), { id: 'mydomain.com' });
    const content = [...written.pieces].join('');
    expect(written.report().refused).toEqual([]);
    const again = readImport(importFile({ name: 'a.zone', content }), importers, { seed: 1 });
    const sorted = (list: readonly Json[]): unknown => list.map((mock) => JSON.stringify(mock)).toSorted();
    expect(sorted(runAtOnce(again).imported.protocols?.['dns']?.['mocks'] as readonly Json[])).toEqual(
      sorted(mocks),
    );
    expect(await dig(port, '+short', '_xmpp-server._tcp.mydomain.com', 'SRV')).toMatch(
      /^10 0 5269 jabber\.mydomain\.com\.\s*$/i,
    );
  });
});
