import { CATEGORIES, type CatalogEntry, type CatalogSource } from './catalog.js';
import { PROBLEMS, type Problem } from './problems.js';

/** Most first arguments of a command. */
const MAX_ARGS = 256;

/** Which commands are allowed (redis.io, "ACL", section "Command categories" and what follows). */
export class CommandRules {
  readonly #source: CatalogSource;
  /** For each command of the catalog whether it is allowed; `undefined`: all are, or none. */
  #allowed: Uint8Array | undefined;
  /** Whether commands that will be added later would be allowed: it has begun with all. */
  #allowsFuture = false;
  /** First arguments with which a command is allowed that is not allowed otherwise. */
  #firstArgs = new Map<number, string[]>();
  #isAll = false;
  #described: string | undefined;

  constructor(source: CatalogSource) {
    this.#source = source;
  }

  /** Whether all commands are allowed. */
  get isAll(): boolean {
    return this.#isAll;
  }

  /** Bytes that the first arguments take. */
  get bytes(): number {
    let bytes = this.#allowed?.length ?? 0;
    for (const args of this.#firstArgs.values()) for (const arg of args) bytes += 64 + arg.length;
    return bytes;
  }

  copy(): CommandRules {
    const made = new CommandRules(this.#source);
    made.#allowed = this.#allowed?.slice();
    made.#allowsFuture = this.#allowsFuture;
    made.#isAll = this.#isAll;
    made.#firstArgs = new Map(Array.from(this.#firstArgs, ([id, args]) => [id, [...args]]));
    return made;
  }

  /** Allows all, or nothing. */
  setAll(isAllowed: boolean): void {
    this.#described = undefined;
    this.#allowed = undefined;
    this.#allowsFuture = isAllowed;
    this.#isAll = isAllowed;
    this.#firstArgs.clear();
  }

  /** Takes a rule that begins with `+` or `-`. Gives what is wrong with it. */
  apply(rule: string): Problem | undefined {
    this.#described = undefined;
    const isAllowed = rule.startsWith('+');
    const name = rule.slice(1);
    if (name.startsWith('@')) return this.#applyCategory(name.slice(1), isAllowed);
    if (isAllowed && name.includes('|')) return this.#applyPart(name);
    const entry = this.#source.catalog.find(name);
    if (entry === undefined) return PROBLEMS.unknown;
    this.#set(entry, isAllowed);
    return undefined;
  }

  /** Whether a command is allowed, with the argument behind its name. */
  allows({ id }: CatalogEntry, firstArg: string | undefined): boolean {
    if (this.#isAll || this.#allowed?.[id] === 1) return true;
    const args = this.#firstArgs.get(id);
    return args !== undefined && firstArg !== undefined && args.some((arg) => isSame(arg, firstArg));
  }

  /** The rules that would make it what it is: categories as near as they come, then single commands. */
  describe(): string {
    this.#described ??= this.#makeDescription();
    return this.#described;
  }

  #applyCategory(name: string, isAllowed: boolean): Problem | undefined {
    const entries = this.#source.catalog.inCategory(name);
    if (entries === undefined) return PROBLEMS.unknown;
    for (const entry of entries) this.#set(entry, isAllowed);
    return undefined;
  }

  /** Allows a subcommand, or a command with a first argument. */
  #applyPart(name: string): Problem | undefined {
    const bar = name.lastIndexOf('|');
    const entry = this.#source.catalog.find(name.slice(0, bar));
    if (entry === undefined) return PROBLEMS.unknown;
    if (entry.isSubcommand) return PROBLEMS.firstArgument;
    const part = name.slice(bar + 1);
    if (part === '') return PROBLEMS.syntax;
    if (entry.subcommands.length > 0) {
      const subcommand = this.#source.catalog.find(name);
      if (subcommand === undefined) return PROBLEMS.unknown;
      this.#set(subcommand, true);
      return undefined;
    }
    const args = this.#firstArgs.get(entry.id);
    const arg = part.toLowerCase();
    if (args === undefined) this.#firstArgs.set(entry.id, [arg]);
    else if (args.length >= MAX_ARGS) return PROBLEMS.tooMany;
    else if (!args.includes(arg)) args.push(arg);
    return undefined;
  }

  #bits(): Uint8Array {
    this.#allowed ??= new Uint8Array(this.#source.catalog.entries.length).fill(this.#allowsFuture ? 1 : 0);
    return this.#allowed;
  }

  /** Allows a command, or no longer, with all its subcommands. */
  #set(entry: CatalogEntry, isAllowed: boolean): void {
    const bits = this.#bits();
    bits[entry.id] = isAllowed ? 1 : 0;
    this.#firstArgs.delete(entry.id);
    for (const { id } of entry.subcommands) bits[id] = isAllowed ? 1 : 0;
    if (!isAllowed) this.#isAll = false;
  }

  // As redis-server 7.0 does (ACLDescribeSelectorCommandRules): the rules are applied to another set as they are found.
  #makeDescription(): string {
    const isAdditive = !this.#allowsFuture;
    const bits = this.#bits();
    const sign = isAdditive ? '+' : '-';
    const rules = [isAdditive ? '-@all' : '+@all'];
    const made = new CommandRules(this.#source);
    made.setAll(!isAdditive);
    const left = this.copy();
    const used = new Set<string>();
    for (let best = left.#best(isAdditive, used); best !== undefined; best = left.#best(isAdditive, used)) {
      rules.push(`${sign}@${best}`);
      made.#applyCategory(best, isAdditive);
      left.#applyCategory(best, !isAdditive);
      used.add(best);
    }
    for (const entry of this.#source.catalog.entries) {
      const isAllowed = bits[entry.id] === 1;
      if (isAllowed !== (made.#bits()[entry.id] === 1)) {
        rules.push(`${isAllowed ? '+' : '-'}${entry.facts.name}`);
        made.#set(entry, isAllowed);
      }
      if (!isAllowed)
        for (const arg of this.#firstArgs.get(entry.id) ?? []) rules.push(`+${entry.facts.name}|${arg}`);
    }
    return rules.join(' ');
  }

  /** The category that fits best: the fewest differences, then the most in common. */
  #best(isAdditive: boolean, used: ReadonlySet<string>): string | undefined {
    const bits = this.#bits();
    let best: string | undefined;
    let fewest = Infinity;
    let most = 0;
    for (const name of CATEGORIES) {
      if (used.has(name)) continue;
      let on = 0;
      let off = 0;
      for (const { id } of this.#source.catalog.inCategory(name) ?? []) {
        if (bits[id] === 1) on += 1;
        else off += 1;
      }
      const [different, same] = isAdditive ? [off, on] : [on, off];
      if (same > different && (different < fewest || (different === fewest && same > most))) {
        best = name;
        fewest = different;
        most = same;
      }
    }
    return best;
  }
}

function isSame(lower: string, given: string): boolean {
  return given.length === lower.length && given.toLowerCase() === lower;
}
