import type { Exporter } from '../contract/exports.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid } from '../errors.js';
import { suggest } from '../validation/suggest.js';

/** The titles of all formats that can be written, by their short names. */
export function exportFormats(
  protocols: readonly Protocol[],
  further: readonly Exporter[],
): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...further.map(({ format, title }) => [format, title] as const),
    ...protocols.flatMap(({ exports }) => Object.entries(exports?.formats ?? {})),
  ]);
}

/**
 * The exporter of a format. That of a kind is loaded when it is asked for.
 *
 * @param further - exporters that belong to no kind
 * @throws BacklotError `invalid` for a format that nothing writes
 */
export async function exporterFor(
  format: string,
  protocols: readonly Protocol[],
  further: readonly Exporter[],
): Promise<Exporter> {
  const known = further.find((exporter) => exporter.format === format);
  if (known !== undefined) return known;
  for (const { exports } of protocols) {
    if (exports === undefined || !Object.hasOwn(exports.formats, format)) continue;
    const found = (await exports.load()).find((exporter) => exporter.format === format);
    if (found !== undefined) return found;
  }
  const names = Object.keys(exportFormats(protocols, further));
  const meant = suggest(format, names);
  throw invalid(
    `there is no format "${format.slice(0, 100)}"${meant === undefined ? '' : `; did you mean "${meant}"?`}; known are ${names.join(', ') || 'none'}`,
  );
}
