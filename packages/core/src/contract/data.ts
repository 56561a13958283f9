import type { Json } from './json.js';
import type { TObject } from './shape.js';
import type { DataView } from './views.js';

/**
 * One section of the data that a service holds, such as keys, queues or files, as people read and change it from
 * outside. Routes, documents and checks derive from it; the service has the entries themselves, see {@link DataSection}.
 */
export interface DataDeclaration {
  /** What one entry is called in messages: `queue`. */
  readonly noun: string;
  /** One sentence for the documents. */
  readonly summary: string;
  /** The schema of an entry as it is shown. Its fields are what entries can be filtered by. */
  readonly schema: TObject;
  /** The field that is the id of an entry; `id` when absent. */
  readonly idField?: string;
  /** The field of an entry that says how many messages wait in it; absent where nothing waits. */
  readonly depth?: string;
  /** How entries are made and replaced; absent when only clients do that. */
  readonly put?: {
    /** The schema of an entry as it is given, with the field of its id. */
    readonly schema: TObject;
    /** Entries to show in documents; each can be put into a service that has just started. */
    readonly examples: readonly Json[];
  };
  /** Whether entries can be removed. `false` when absent. */
  readonly remove?: boolean;
  /** How a page shows the entries; as a plain list when absent. */
  readonly view?: DataView;
}

/** How people send a message by the service of a kind, as if a client of it had: into a topic, a queue, a mailbox. */
export interface PublishDeclaration {
  /** One sentence for the documents: what is sent, and who gets it. */
  readonly summary: string;
  /** The schema of a message as it is given. */
  readonly schema: TObject;
  /** Messages to show in documents; each can be published by a service that has just started. */
  readonly examples: readonly Json[];
  /** Where a message that is given has its headers, such as `['headers']`; absent for messages without any. */
  readonly headersAt?: readonly string[];
  /** The schema of what became of it, as {@link Publisher} gives it. */
  readonly result: TObject;
}

/** One entry of a section. */
export interface DataEntry {
  readonly id: string;
  /** Makes what is shown of it, of bounded size; `undefined` when it is gone by now. */
  read(): Json | undefined;
}

/** The entries of a section, which a running service has. What is given to it has passed the schemas of the declaration. */
export interface DataSection {
  /** How many entries there are. */
  readonly size: number;
  /**
   * The entries, in an order of the service. It may be read over many turns of the event loop, while entries come and go: what
   * is there all that time must be given once, the rest at most once.
   */
  entries(): Iterable<DataEntry>;
  /** The entry with this id; `undefined` when there is none. */
  find(id: string): DataEntry | undefined;
  /**
   * Makes or replaces an entry.
   *
   * @returns its id
   * @throws BacklotError `invalid` for what the schema cannot check
   */
  put?(entry: Json): string | Promise<string>;
  /** Removes the entry with this id, when there is one. */
  remove?(id: string): void | Promise<void>;
}

/**
 * Sends a message that has passed the schema.
 *
 * @returns what became of it, as the declaration's `result` says
 * @throws BacklotError `invalid`, `not_found` for a message that cannot be sent
 */
export type Publisher = (message: Json) => Json | Promise<Json>;
