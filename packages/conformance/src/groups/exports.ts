import { checkEqual } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { exporterCases } from '../exporter-cases.js';
import type { Subject } from '../stage.js';

/** Files of other tools that are written: what is declared can be loaded, and what a file has comes back, or its loss is told. */
export function exportCases({ protocol, probe }: Subject): readonly ConformanceCase[] {
  const { exports } = protocol;
  if (exports === undefined) return [];
  const samples = probe.exports ?? [];
  return [
    {
      name: 'the formats that are declared are those of the exporters',
      async run() {
        const loaded = await exports.load();
        checkEqual(
          'the exporters',
          Object.fromEntries(loaded.map(({ format, title }) => [format, title])),
          exports.formats,
        );
      },
    },
    {
      name: 'exporters do as they must',
      async run() {
        const exporters = await exports.load();
        const importers = (await protocol.imports?.load()) ?? [];
        const cases = exporterCases({ exporters, importers, samples, protocols: [protocol] });
        for (const each of cases) await each.run();
      },
    },
  ];
}
