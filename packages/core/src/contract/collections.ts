import type { TObject } from './schema.js';
import type { CompileTools } from './tools.js';

/** The schemas of the items of a kind's second collections, by name. */
export type ItemSchemas = Readonly<Record<string, TObject>>;

/**
 * A second collection of a kind beside its mocks, such as trap targets or schema files. From the declaration come
 * validation, a configuration key, reset, snapshots and routes.
 */
export interface CollectionDeclaration<Item extends TObject = TObject, Compiled = unknown> {
  /** One item, for messages: `trap`. */
  readonly noun: string;
  readonly summary: string;
  /** The schema of an item without its `id`, which core adds. */
  readonly schema: Item;
  /** Which field is the id when the kind calls it something else, such as `name`; `id` when absent. */
  readonly idField?: string;
  /** Where the routes stand, beginning with `/api/`. */
  readonly path: string;
  /** Which routes there are; list and create always. */
  readonly routes?: { readonly replace?: boolean; readonly delete?: boolean };
  /** The configuration key of the list: the name of the collection. */
  readonly configKey: string;
  compile?(item: Item['static'], tools: CompileTools): Compiled;
}
