import type { Importer, ImportFile } from '../contract/imports.js';
import type { Protocol } from '../contract/protocol.js';

/**
 * The importers to read a file with. Those of kinds are loaded only where the others are not sure of the file.
 *
 * @param further - importers that belong to no kind; they are asked first
 * @param format - the short name of the format, where somebody knows it
 */
export async function importersFor(
  file: ImportFile,
  protocols: readonly Protocol[],
  further: readonly Importer[],
  format?: string,
): Promise<readonly Importer[]> {
  const isFound =
    format === undefined
      ? further.some((importer) => importer.detect(file) === 'sure')
      : further.some((importer) => importer.format === format);
  if (isFound) return further;
  const lists = await Promise.all(
    protocols.map(async ({ imports }) => (imports === undefined ? [] : imports.load())),
  );
  return [...further, ...lists.flat()];
}

/** The titles of all formats, by their short names. */
export function importFormats(
  protocols: readonly Protocol[],
  further: readonly Importer[],
): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...further.map(({ format, title }) => [format, title] as const),
    ...protocols.flatMap(({ imports }) => Object.entries(imports?.formats ?? {})),
  ]);
}
