import type { CommandPlace } from './commands.js';
import type { StoredCapture } from './context.js';
import type { Json } from './json.js';
import type { JournalItem } from './journal.js';
import type { Protocol } from './protocol.js';

/** A kind that runs, as exporters see it. */
export interface ExportKind {
  readonly kind: string;
  readonly protocol: Protocol;
  /** Where it listens; absent while it does not. */
  readonly place?: CommandPlace;
  /** The entries of a section of its data, as they are shown; none while it does not run. */
  data(section: string): Iterable<Json>;
  /** The messages that it has captured, oldest first; none for a kind that captures nothing. */
  captured(): Iterable<StoredCapture>;
}

/** What runs, and what is in the log, as exporters see it. What is iterated over is read as it is asked for. */
export interface ExportSource {
  /** The version of Backlot. */
  readonly version: string;
  /** The kinds that are enabled, in the order in which they are listed. */
  readonly kinds: readonly ExportKind[];
  /** The kind of this name; `undefined` when it is not enabled. */
  kind(name: string): ExportKind | undefined;
  /** What runs as a configuration file says it. */
  configuration(): Json;
  /** The entries of the log, oldest first. */
  log(): Iterable<JournalItem>;
}

/** Notes what an export has, and what it could not say as it is. Equal notes are counted, and lists are bounded. */
export interface ExportNotes {
  /** Something was written: `http mocks`. */
  written(what: string): void;
  /**
   * Something was written in another form.
   *
   * @param place - what it is: the id of a mock, or of an entry of the log
   * @param message - what was made of it, and why
   */
  approximated(place: string, message: string): void;
  /** Something was left out. See {@link approximated}. */
  refused(place: string, message: string): void;
}

/** What somebody asks of an export. */
export interface ExportSettings {
  /** Which one, for a format whose files hold one thing alone. */
  readonly id?: string | undefined;
}

/** Writes one format: a pure function from what runs to a file. */
export interface Exporter {
  /** The short name by which people choose it: `openapi`. */
  readonly format: string;
  /** The name as people write it: `OpenAPI 3.1`. */
  readonly title: string;
  /** The content type of a file. */
  readonly contentType: string;
  /** The name of a file ends so, with its dot: `.json`. */
  readonly extension: string;
  /**
   * Writes the file, a piece at a time: it never has all of it. It yields wherever other work may be let in, at least every
   * few milliseconds; nothing where there is no piece yet.
   *
   * @throws BacklotError `invalid` where there is nothing that the format can say, before the first piece
   */
  write(
    source: ExportSource,
    notes: ExportNotes,
    settings: ExportSettings,
  ): Generator<string | Uint8Array | undefined, void, undefined>;
}

/** The formats that a kind can write. */
export interface ExportDeclaration {
  /** The titles of the formats by their short names. */
  readonly formats: Readonly<Record<string, string>>;
  /** Loads the exporters, one for each of the formats, when somebody wants a file. */
  load(): Promise<readonly Exporter[]>;
}
