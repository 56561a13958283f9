import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectCleanups, itWithTool, runTool } from '@backlot/conformance';
import { exportSource, importFile, readImport, runExport } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect } from '@jest/globals';
import { exporters } from '../src/exports/exporters.js';
import { importers } from '../src/imports/importers.js';
import { startHost } from './support.js';

const afterThis = collectCleanups();

const LONG = `a text of more than seventy-six characters, ${'which goes on and on, '.repeat(10)}`;
const ENTRIES = [
  {
    dn: 'dc=example,dc=com',
    attributes: { objectClass: ['top', 'dcObject', 'organization'], dc: 'example', o: 'Example' },
  },
  {
    dn: 'uid=ada,dc=example,dc=com',
    attributes: {
      objectClass: 'inetOrgPerson',
      uid: 'ada',
      cn: ['Ada Lövelace', ' begins with a space'],
      sn: ':colon',
      description: LONG,
      jpegPhoto: { base64: '/9j/AAEC' },
      userPassword: 'secret',
    },
  },
];

describe('LDIF', () => {
  itWithTool('slapadd', 'is read by slapadd, and by our own importer as the same entries', async () => {
    const running = await startHost({ entries: ENTRIES });
    const [exporter] = exporters;
    if (exporter === undefined) throw new Error('there is no exporter');
    const { pieces, report } = runExport(exporter, exportSource(running.host));
    const text = [...pieces].join('');
    expect(report()).toMatchObject({ written: { entries: 2 }, approximated: [], refused: [] });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(76);
    const folder = mkdtempSync(join(tmpdir(), 'ldif-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, 'slapd.conf');
    writeFileSync(
      config,
      `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
suffix "dc=example,dc=com"
directory ${folder}
`,
    );
    writeFileSync(join(folder, 'entries.ldif'), text);
    const added = await runTool('slapadd', ['-f', config, '-l', join(folder, 'entries.ldif')]);
    expect({ code: added.code, err: added.code === 0 ? '' : added.err }).toEqual({ code: 0, err: '' });
    const again = await runTool('slapcat', ['-f', config, '-l', join(folder, 'again.ldif')]);
    expect(again.code).toBe(0);
    const read = (content: string): unknown =>
      runAtOnce(readImport(importFile({ name: 'a.ldif', content }), importers, { seed: 1 })).imported
        .protocols?.['ldap'];
    expect(read(text)).toEqual({ entries: ENTRIES });
    expect(readFileSync(join(folder, 'again.ldif'), 'utf8')).toContain('uid: ada');
  });
});
