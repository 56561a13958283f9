import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectCleanups, itWithTool, runTool } from '@backlot/conformance';
import {
  exportSource,
  importFile,
  readImport,
  runExport,
  type ExportReport,
  type Host,
  type Json,
} from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import { exporters } from '../src/exports/exporters.js';
import { importers } from '../src/imports/importers.js';
import { ZONE_FILE } from './start-nsd.js';
import { startHost } from './support.js';

const afterThis = collectCleanups();

function write(host: Host, id?: string): { readonly text: string; readonly report: ExportReport } {
  const [exporter] = exporters;
  if (exporter === undefined) throw new Error('there is no exporter');
  const { pieces, report } = runExport(exporter, exportSource(host), { id });
  return { text: [...pieces].join(''), report: report() };
}

function mocksOf(content: string): readonly Json[] {
  const { imported } = runAtOnce(readImport(importFile({ name: 'a.zone', content }), importers, { seed: 1 }));
  return imported.protocols?.['dns']?.['mocks'] as readonly Json[];
}

async function checkZone(name: string, text: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zone-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'out.zone');
  writeFileSync(file, text);
  const { code, out, err } = await runTool('nsd-checkzone', [name, file]);
  expect({ code, said: code === 0 ? '' : out + err }).toEqual({ code: 0, said: '' });
}

describe('a zone file', () => {
  itWithTool('nsd-checkzone', 'is read by nsd, and is the mocks again that it was made of', async () => {
    const mocks = mocksOf(`$ORIGIN example.test.\n${readFileSync(ZONE_FILE, 'utf8')}`);
    const { host } = await startHost({ mocks });
    const { text, report } = write(host);
    const left = new Set(report.refused.map(({ place }) => place));
    await checkZone('example.test', text);
    const sorted = (list: readonly Json[]): unknown => list.map((mock) => JSON.stringify(mock)).toSorted();
    expect(sorted(mocksOf(text))).toEqual(sorted(mocks.filter(({ id }) => !left.has(String(id)))));
    expect(report.written['records']).toBeGreaterThan(10);
  });

  itWithTool('nsd-checkzone', 'begins with records that are made up where there are none', async () => {
    const { host } = await startHost({
      mocks: [
        { id: 'www', name: 'www.example.org', records: ['192.0.2.1', '192.0.2.2'] },
        { id: 'mail', name: 'example.org', type: 'MX', records: ['10 www.example.org'] },
        { id: 'text', name: '*.example.org', type: 'TXT', ttl: 5, records: ['"a; b"'] },
        { id: 'gone', name: 'gone.example.org', rcode: 'NXDOMAIN' },
        { id: 'many', name: 're:^x', records: ['192.0.2.3'] },
        { id: 'made', name: 'made.example.org', type: 'TXT', records: ['{{uuid}}'] },
      ],
    });
    const { text, report } = write(host);
    await checkZone('example.org', text);
    expect(report.written).toEqual({ records: 4 });
    expect(report.refused.map(({ place }) => place)).toEqual(['gone', 'many', 'made']);
    expect(report.approximated[0]?.message).toContain('made up');
  });

  it('is one zone: of several it is named', async () => {
    const soa = ['ns.test. mail.test. 1 2 3 4 5'];
    const { host } = await startHost({
      mocks: [
        { id: 'a', name: 'a.test', type: 'SOA', records: soa },
        { id: 'b', name: 'b.test', type: 'SOA', records: soa },
      ],
    });
    expect(() => write(host)).toThrow(
      'there are 2 zones, and a file has one: name it by "id", such as "a.test"',
    );
    expect(write(host, 'b.test').text).toContain('b.test. 60 IN SOA');
    expect(() => write(host, 'c.test')).toThrow('no mock of DNS has a name below "c.test"');
  });
});
