import type { Exporter, ExportNotes, ExportSettings, ExportSource } from '../contract/exports.js';
import { NotedImport, type ImportNote } from '../imports/noted.js';

/** What was written, and what could not be said. */
export interface ExportReport {
  /** The short name of the format. */
  readonly format: string;
  readonly title: string;
  /** How many things were written, by what they are: `http mocks`. */
  readonly written: Readonly<Record<string, number>>;
  /** What was written in another form. */
  readonly approximated: readonly ImportNote[];
  /** What was left out. */
  readonly refused: readonly ImportNote[];
}

/** A file that is being written. */
export interface RunningExport {
  /** The file, a piece at a time; nothing where others may be let in. */
  readonly pieces: Generator<string | Uint8Array | undefined, void, undefined>;
  /** What has been written by now; all of it once the pieces have ended. */
  readonly report: () => ExportReport;
}

/** Begins to write a file: nothing is done before the first piece is asked for. */
export function runExport(
  exporter: Exporter,
  source: ExportSource,
  settings: ExportSettings = {},
): RunningExport {
  const notes = new NotedExport();
  const { format, title } = exporter;
  return {
    pieces: exporter.write(source, notes, settings),
    report: () => ({
      format,
      title,
      written: Object.fromEntries(notes.counts),
      approximated: notes.approximations,
      refused: notes.refusals,
    }),
  };
}

/** The notes of one export. */
class NotedExport extends NotedImport implements ExportNotes {
  readonly counts = new Map<string, number>();

  written(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
