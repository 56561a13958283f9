import type { CommandFacts } from '../commands/facts/command-facts.js';

/** The categories, in the order of Redis 7.0. */
export const CATEGORIES: readonly string[] =
  'keyspace read write set sortedset list hash string bitmap hyperloglog geo stream pubsub admin fast slow blocking dangerous connection transaction scripting'.split(
    ' ',
  );

/** A command as rules see it. */
export interface CatalogEntry {
  /** Its place in the sets of commands that are allowed. */
  readonly id: number;
  readonly facts: CommandFacts;
  readonly subcommands: readonly CatalogEntry[];
  readonly isSubcommand: boolean;
}

/** All commands that rules may name: those of Redis 7.0, whether they are there or not, and those that are there beside. */
export class Catalog {
  /** Without subcommands. */
  readonly roots: readonly CatalogEntry[];
  /** Each with its subcommands behind it. */
  readonly entries: readonly CatalogEntry[];
  readonly #byName = new Map<string, CatalogEntry>();
  readonly #byCategory = new Map<string, CatalogEntry[]>();

  constructor(all: readonly CommandFacts[]) {
    const entries: CatalogEntry[] = [];
    const add = (facts: CommandFacts, isSubcommand: boolean): CatalogEntry => {
      const subcommands: CatalogEntry[] = [];
      const entry = { id: entries.length, facts, subcommands, isSubcommand };
      entries.push(entry);
      for (const each of facts.subcommands) subcommands.push(add(each, true));
      return entry;
    };
    this.roots = all.map((facts) => add(facts, false));
    this.entries = entries;
    for (const name of CATEGORIES) this.#byCategory.set(name, []);
    for (const entry of entries) {
      this.#byName.set(entry.facts.name, entry);
      for (const category of entry.facts.categories) this.#byCategory.get(category.slice(1))?.push(entry);
    }
  }

  /** A command by its name in any case; that of a subcommand is `container|name`. */
  find(name: string): CatalogEntry | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  /** The commands of a category, by its name in any case without its `@`. */
  inCategory(name: string): readonly CatalogEntry[] | undefined {
    return this.#byCategory.get(name.toLowerCase());
  }
}

/** What has a catalog, which is made when it is asked for. */
export interface CatalogSource {
  readonly catalog: Catalog;
}
