import type { Imported, Importer, ImportFile, ImportSettings } from '../contract/imports.js';
import { invalid } from '../errors.js';
import { suggest } from '../validation/suggest.js';
import { NotedImport, type ImportNote } from './noted.js';

/** What was made of a file, and what not. */
export interface ImportReport {
  /** The name of the file; empty when it has none. */
  readonly file: string;
  /** The short name of its format. */
  readonly format: string;
  readonly title: string;
  /** How many things were taken, by what they are: `http mocks`. */
  readonly taken: Readonly<Record<string, number>>;
  /** What came over in another form. */
  readonly approximated: readonly ImportNote[];
  /** What was left out. */
  readonly refused: readonly ImportNote[];
}

/** A file that has been read, not applied. */
export interface ReadImport {
  readonly imported: Imported;
  readonly report: ImportReport;
}

/**
 * Finds out the format of a file by looking, and reads it.
 *
 * @param importers - those there are; of two that are equally sure the first one reads
 * @param format - the short name of the format, where somebody knows it
 * @throws BacklotError `invalid` when no importer knows the file, or it cannot be used
 */
export function* readImport(
  file: ImportFile,
  importers: readonly Importer[],
  settings: ImportSettings,
  format?: string,
): Generator<undefined, ReadImport, undefined> {
  const importer = format === undefined ? detectFormat(file, importers) : findFormat(format, importers);
  yield;
  const notes = new NotedImport();
  const imported = yield* importer.convert(file, notes, settings);
  const report: ImportReport = {
    file: file.name,
    format: importer.format,
    title: importer.title,
    taken: countTaken(imported),
    approximated: notes.approximations,
    refused: notes.refusals,
  };
  if (Object.keys(report.taken).length > 0) return { imported, report };
  const [first] = report.refused;
  throw invalid(
    `${nameOf(file)} is ${importer.title} and has nothing that can be imported${first === undefined ? '' : `: ${at(first)}`}`,
  );
}

function at({ place, message }: ImportNote): string {
  return place === '' ? message : `${place}: ${message}`;
}

function detectFormat(file: ImportFile, importers: readonly Importer[]): Importer {
  let likely: Importer | undefined;
  for (const importer of importers) {
    const certainty = importer.detect(file);
    if (certainty === 'sure') return importer;
    if (certainty === 'likely') likely ??= importer;
  }
  if (likely !== undefined) return likely;
  throw invalid(
    `${nameOf(file)} has none of the formats that can be imported${file.fault === '' ? '' : ` (${file.fault})`}; known are ${formatNames(importers)}`,
  );
}

function findFormat(format: string, importers: readonly Importer[]): Importer {
  const found = importers.find((importer) => importer.format === format);
  if (found !== undefined) return found;
  const meant = suggest(
    format,
    importers.map((importer) => importer.format),
  );
  throw invalid(
    `there is no format "${format}"${meant === undefined ? '' : `; did you mean "${meant}"?`}; known are ${formatNames(importers)}`,
  );
}

function formatNames(importers: readonly Importer[]): string {
  return importers.map((importer) => importer.format).join(', ') || 'none';
}

function nameOf({ name, isFolder }: ImportFile): string {
  const what = isFolder ? 'folder' : 'file';
  return name === '' ? `the ${what}` : `${what} "${name}"`;
}

/** Counts the lists of blocks by kind and name, and what else there is. */
function countTaken({
  protocols = {},
  collections = {},
  state = {},
  reactions = [],
  data = {},
}: Imported): ImportReport['taken'] {
  const taken: [string, number][] = [];
  for (const [kind, block] of Object.entries(protocols)) {
    for (const [name, value] of Object.entries(block)) {
      const entries = data[kind]?.[name]?.entries;
      const count = entries?.length ?? (Array.isArray(value) ? value.length : 1);
      if (count > 0) taken.push([`${kind} ${name}`, count]);
    }
  }
  const rows = Object.values(collections).reduce((sum, one) => sum + (one.rows?.length ?? 0), 0);
  if (Object.keys(collections).length > 0) taken.push(['collections', Object.keys(collections).length]);
  if (rows > 0) taken.push(['rows', rows]);
  if (Object.keys(state).length > 0) taken.push(['state keys', Object.keys(state).length]);
  if (reactions.length > 0) taken.push(['reactions', reactions.length]);
  return Object.fromEntries(taken);
}
