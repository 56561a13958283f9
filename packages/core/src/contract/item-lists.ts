import type { TObject } from './schema.js';
import type { CompileTools } from './tools.js';

/** The schemas of the items of a kind's item lists, by name. */
export type ItemSchemas = Readonly<Record<string, TObject>>;

/**
 * An item list of a kind beside its mocks, such as trap targets or schema files. From the declaration come
 * validation, a configuration key, reset, snapshots and routes.
 */
export interface ItemListDeclaration<Item extends TObject = TObject, Compiled = unknown> {
  /** What one item is called in messages: `trap`. */
  readonly noun: string;
  /** One sentence for the documents. */
  readonly summary: string;
  /** The schema of an item without its `id`, which core adds. */
  readonly schema: Item;
  /** The field that is the id, when it has another name, such as `name`; `id` when absent. */
  readonly idField?: string;
  /** The path of the routes, beginning with `/api/`. */
  readonly path: string;
  /** Which routes there are beside those that list and create, which there always are. */
  readonly routes?: { readonly replace?: boolean; readonly delete?: boolean };
  /** The configuration key of the list; it must be the name of the list. */
  readonly configKey: string;
  /** Valid items, the simplest first; they stand in the OpenAPI document, and people begin with them. */
  readonly examples?: readonly object[];
  /** Compiles one item when it is created or replaced; `tools` notes what is wrong with it. */
  compile?(item: Item['static'], tools: CompileTools): Compiled;
}
