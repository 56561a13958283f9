import type { CollectionDefinition } from './collections.js';
import type { Json } from './json.js';
import type { NewReaction } from './reaction.js';

/** A file of another tool, as importers see it. */
export interface ImportFile {
  /** Its name without folders; of a file in a folder its path from there. Empty when nobody gave one. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8; what is none is replaced by U+FFFD. */
  readonly text: string;
  /** The object or list that the text is as JSON or YAML; `undefined` when it is neither. */
  readonly tree: unknown;
  /** Why a text that begins as JSON or YAML is none; empty otherwise. */
  readonly fault: string;
  /** Whether it is a folder, whose own text is empty. */
  readonly isFolder: boolean;
  /** The files of a folder, those in further folders as well. */
  readonly files: readonly ImportFile[];
  /** The file at a path from this one, where it may be read; `undefined` when there is none. */
  near(path: string): ImportFile | undefined;
}

/** What an import makes, in the form of a configuration file. */
export interface Imported {
  /** Blocks of kinds: their mocks, item lists and settings. */
  readonly protocols?: Readonly<Record<string, Json>>;
  readonly collections?: Readonly<Record<string, CollectionDefinition>>;
  readonly state?: Readonly<Record<string, string>>;
  /** Reactions, each with an id. */
  readonly reactions?: readonly NewReaction[];
  /**
   * Settings of a block that a running service takes as data: kind, then the key of the setting. The entries are what
   * `put` of the section is given.
   */
  readonly data?: Readonly<
    Record<string, Readonly<Record<string, { readonly section: string; readonly entries: readonly Json[] }>>>
  >;
}

/** Notes what an import could not carry over as it was. Equal notes are counted, and lists are bounded. */
export interface ImportNotes {
  /**
   * Something came over in another form.
   *
   * @param place - where it stands in the file: a JSON pointer, or a line
   * @param message - what was made of it, and why
   */
  approximated(place: string, message: string): void;
  /** Something was left out. See {@link approximated}. */
  refused(place: string, message: string): void;
}

/** What an importer may count on beside the file. */
export interface ImportSettings {
  /** The seed from which values are made that the file does not have. */
  readonly seed: number;
}

/**
 * Reads one format. Both functions are pure: they look at the file and at nothing else, and what they meet is hostile:
 * whatever stands in the file, they end, and a file that cannot be used is refused by an error that says why.
 */
export interface Importer {
  /** The short name by which people choose it: `openapi`. */
  readonly format: string;
  /** The name as people write it: `OpenAPI 3.0 and 3.1`. */
  readonly title: string;
  /**
   * Whether a file has this format: `sure` where it says so itself, `likely` where it has the shape; `undefined` where it
   * has not. It must be quick, and never throw.
   */
  detect(file: ImportFile): 'sure' | 'likely' | undefined;
  /**
   * Makes what a configuration would have of a file. It yields wherever other work may be let in, at least every few
   * milliseconds.
   *
   * @throws BacklotError `invalid` for a file that cannot be used
   */
  convert(
    file: ImportFile,
    notes: ImportNotes,
    settings: ImportSettings,
  ): Generator<undefined, Imported, undefined>;
}

/** The formats that a kind can import. */
export interface ImportDeclaration {
  /** The titles of the formats by their short names. */
  readonly formats: Readonly<Record<string, string>>;
  /** Loads the importers, one for each of the formats, when a file is to be imported. */
  load(): Promise<readonly Importer[]>;
}
