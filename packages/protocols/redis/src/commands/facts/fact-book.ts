import type { Command } from '../command.js';
import { ADDED_NAMES, addedDocs, addedFacts } from './added-facts.js';
import type { CommandDocs, CommandFacts } from './command-facts.js';
import { unpackDocs, unpackFacts, unpackHelp } from './packed-facts.js';

/** What is asked of the commands that there are here. */
export interface KnownCommands {
  /** By its name in lower case; that of a subcommand is `container|name`. */
  get(name: string): Pick<Command, 'name' | 'arity' | 'flags' | 'keys'> | undefined;
  /** Whether a command has subcommands. */
  isContainer(name: string): boolean;
}

/** What Redis tells of its commands: read from what is packed when it is asked for. */
export class FactBook {
  readonly #known: KnownCommands;
  readonly #byName = new Map<string, CommandFacts>();
  /** The commands that there are in Redis or here, without their subcommands. */
  readonly #all: readonly CommandFacts[];
  #told: readonly CommandFacts[] | undefined;
  #docs: Readonly<Record<string, CommandDocs>> | undefined;
  #help: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(known: KnownCommands) {
    this.#known = known;
    const packed = unpackFacts();
    const names = new Set(packed.map(({ name }) => name));
    const added = ADDED_NAMES.filter((name) => !name.includes('|') && !names.has(name));
    this.#all = [
      ...packed.map((facts) => ({
        ...facts,
        subcommands: [...facts.subcommands, ...this.#addedTo(facts.name)],
      })),
      ...added.flatMap((name) => this.#added(name, this.#addedTo(name))),
    ];
    for (const facts of this.#all) this.#index(facts);
  }

  /** All that Redis has, and what there is here beside it, without subcommands. */
  get all(): readonly CommandFacts[] {
    return this.#all;
  }

  /** What COMMAND tells: the commands that there are here. */
  get told(): readonly CommandFacts[] {
    this.#told ??= this.#all.flatMap((facts) => this.#tell(facts) ?? []);
    return this.#told;
  }

  /** What is told of a command, by a name in any case; `undefined` where there is no such command here. */
  find(name: string): CommandFacts | undefined {
    const facts = this.#byName.get(name.toLowerCase());
    return facts === undefined ? undefined : this.#tell(facts);
  }

  /** What Redis tells of a command, by its name in lower case, whether it is there or not. */
  get(name: string): CommandFacts | undefined {
    return this.#byName.get(name);
  }

  /** What is documented of a command. */
  docsOf({ name, subcommands }: CommandFacts): CommandDocs | undefined {
    this.#docs ??= unpackDocs();
    const [container = name] = name.split('|');
    const root = own(this.#docs, container);
    const docs = container === name ? root : own(root?.subcommands ?? {}, name);
    const found = docs ?? addedDocs(name);
    if (found === undefined || subcommands.length === 0) return found;
    const parts = subcommands.flatMap((each) => {
      const part = this.docsOf(each);
      return part === undefined ? [] : [[each.name, part] as const];
    });
    return { ...found, subcommands: Object.fromEntries(parts) };
  }

  /** The lines of help of a command that has subcommands. */
  helpOf(container: string): readonly string[] | undefined {
    this.#help ??= unpackHelp();
    return own(this.#help, container);
  }

  #index(facts: CommandFacts): void {
    this.#byName.set(facts.name, facts);
    for (const each of facts.subcommands) this.#index(each);
  }

  #addedTo(container: string): readonly CommandFacts[] {
    const names = ADDED_NAMES.filter((name) => name.startsWith(`${container}|`));
    return names.flatMap((name) => this.#added(name, []));
  }

  #added(name: string, subcommands: readonly CommandFacts[]): readonly CommandFacts[] {
    const command = this.#known.get(name) ?? { name, arity: -2, flags: '', keys: [0, 0, 0] as const };
    return [addedFacts(command, subcommands)];
  }

  #tell(facts: CommandFacts): CommandFacts | undefined {
    const { name, subcommands } = facts;
    if (!this.#isThere(name)) return undefined;
    if (subcommands.every((each) => this.#isThere(each.name))) return facts;
    return { ...facts, subcommands: subcommands.filter((each) => this.#isThere(each.name)) };
  }

  #isThere(name: string): boolean {
    const [container = name, subcommand] = name.split('|');
    if (subcommand === 'help') return this.#known.isContainer(container);
    return this.#known.get(name) !== undefined || (subcommand === undefined && this.#known.isContainer(name));
  }
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
