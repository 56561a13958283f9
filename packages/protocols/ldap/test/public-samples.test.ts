import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { itWithTool, runTool } from '@backlot/conformance';
import { exportSource, importFile, readImport, runExport, type ImportReport, type Json } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import { exporters } from '../src/exports/exporters.js';
import { importers } from '../src/imports/importers.js';
import { run, startHost } from './support.js';

const pathOf = (number: number): string =>
  fileURLToPath(new URL(`samples/example${number}.ldif`, import.meta.url));

function convert(number: number): { entries: readonly Json[]; report: ImportReport } {
  const file = importFile({ name: `example${number}.ldif`, content: readFileSync(pathOf(number)) });
  const { imported, report } = runAtOnce(readImport(file, importers, { seed: 1 }));
  return { entries: imported.protocols?.['ldap']?.['entries'] as readonly Json[], report };
}

/** An entry as `ldapadd -v` prints it. */
function printed({ dn, attributes }: Json): string {
  const lines = Object.entries(attributes as Json).flatMap(([name, values]) => [
    `add ${name}:`,
    ...[values].flat().map((value) => {
      const text = String(value);
      return /[^\p{ASCII}]/u.test(text) ? `\tNOT ASCII (${Buffer.byteLength(text)} bytes)` : `\t${text}`;
    }),
  ]);
  return [...lines, `!adding new entry "${String(dn)}"`, '', ''].join('\n');
}

describe('the examples of RFC 2849', () => {
  itWithTool('ldapadd', 'are read as ldapadd reads them', async () => {
    for (const [number, count] of [
      [1, 2],
      [2, 1],
      [3, 1],
      [4, 2],
    ] as const) {
      const { out, code } = await runTool('ldapadd', ['-n', '-v', '-f', pathOf(number)]);
      const { entries, report } = convert(number);
      expect(report).toMatchObject({ format: 'ldif', taken: { 'ldap entries': count }, refused: [] });
      expect({ number, code, out }).toEqual({ number, code: 0, out: entries.map(printed).join('') });
    }
  });

  it('are taken without what stands in other files, and without changes', () => {
    const outside = 'the value of jpegphoto stands in another file, which is not read';
    expect(convert(5).report.refused).toEqual([{ place: 'line 2', message: outside, count: 1 }]);
    const { entries, report } = convert(6);
    expect(entries).toEqual([
      {
        dn: 'cn=Fiona Jensen, ou=Marketing, dc=airius, dc=com',
        attributes: {
          objectclass: ['top', 'person', 'organizationalPerson'],
          cn: 'Fiona Jensen',
          sn: 'Jensen',
          uid: 'fiona',
          telephonenumber: '+1 408 555 1212',
        },
      },
    ]);
    expect(report.refused.map(({ message, count }) => [message.split(' is left out')[0], count])).toEqual([
      [outside, 1],
      ['a change of the type "delete"', 1],
      ['a change of the type "modrdn"', 2],
      ['a change of the type "modify"', 2],
    ]);
    expect(() => convert(7)).toThrow('the file has no entries');
  });

  it('are written as they were read', async () => {
    const { entries } = convert(4);
    const { host } = await startHost({ entries });
    const [exporter] = exporters;
    if (exporter === undefined) throw new Error('there is no exporter');
    const content = [...runExport(exporter, exportSource(host)).pieces].join('');
    const again = readImport(importFile({ name: 'a.ldif', content }), importers, { seed: 1 });
    expect(runAtOnce(again).imported.protocols?.['ldap']).toEqual({ entries });
  });

  itWithTool('ldapsearch', 'are found by a search, in Japanese as well', async () => {
    const running = await startHost({ entries: [...convert(1).entries, ...convert(4).entries] });
    const find = async (base: string, filter: string): Promise<string> => {
      const { out } = await run(running, 'ldapsearch', ['-b', base, filter, 'cn', 'uid', 'mail']);
      return /^uid: (.*)$/im.exec(out)?.[1] ?? out;
    };
    expect(await find('dc=airius,dc=com', '(cn=babs jensen)')).toBe('bjensen');
    expect(await find('o=airius', '(sn=小笠原)')).toBe('rogasawara');
  });
});
