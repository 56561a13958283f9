import { checkEqual } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { importerCases } from '../importer-cases.js';
import type { Subject } from '../stage.js';

/** Files of other tools: what is declared can be loaded, and each importer reads its own files and survives all others. */
export function importCases({ protocol, probe }: Subject): readonly ConformanceCase[] {
  const { imports } = protocol;
  if (imports === undefined) return [];
  const samples = probe.imports ?? [];
  return [
    {
      name: 'the formats that are declared are those of the importers',
      async run() {
        const loaded = await imports.load();
        checkEqual(
          'the importers',
          Object.fromEntries(loaded.map(({ format, title }) => [format, title])),
          imports.formats,
        );
      },
    },
    {
      name: 'importers do as they must',
      async run() {
        const importers = await imports.load();
        for (const each of importerCases({ importers, samples, protocols: [protocol] })) await each.run();
      },
    },
  ];
}
