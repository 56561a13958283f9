import type { Args } from '../commands/args.js';
import { keyPlaces, mayHaveKeys, type KeyPlace } from '../commands/facts/key-specs.js';
import { Glob } from '../data/glob.js';
import type { CatalogEntry, CatalogSource } from './catalog.js';
import { CommandRules } from './command-rules.js';
import { PROBLEMS, type Problem } from './problems.js';
import type { TestBudget } from './test-budget.js';

/** Why a command is not allowed, and the argument that is not. */
export interface Denial {
  readonly reason: 'command' | 'key' | 'channel';
  readonly place: number;
}

interface KeyPattern {
  readonly text: string;
  readonly glob: Glob;
  mayRead: boolean;
  mayWrite: boolean;
}

const SPACE = /[\s\0]/;
/** Most bytes of a pattern, as everywhere. */
const MAX_PATTERN = 1024;
/** Most patterns of keys, and of channels. */
const MAX_PATTERNS = 256;
/** What a pattern takes beside its text. */
const PATTERN_BYTES = 256;
const WRITING = new Set(['insert', 'delete', 'update']);

/** Where the channels of a command stand: from an argument on, to the end or that one alone. */
const CHANNELS = new Map([
  ['subscribe', { isOne: false, isPattern: false }],
  ['ssubscribe', { isOne: false, isPattern: false }],
  ['psubscribe', { isOne: false, isPattern: true }],
  ['publish', { isOne: true, isPattern: false }],
  ['spublish', { isOne: true, isPattern: false }],
]);

/** Rules for commands, keys and channels that hold together (redis.io, "ACL"). */
export class Selector {
  readonly #source: CatalogSource;
  #commands: CommandRules;
  #isAllKeys = false;
  #keys: KeyPattern[] = [];
  #isAllChannels = false;
  #channels = new Map<string, Glob>();

  constructor(source: CatalogSource) {
    this.#source = source;
    this.#commands = new CommandRules(source);
  }

  copy(): Selector {
    const made = new Selector(this.#source);
    made.#commands = this.#commands.copy();
    made.#isAllKeys = this.#isAllKeys;
    made.#keys = this.#keys.map((pattern) => ({ ...pattern }));
    made.#isAllChannels = this.#isAllChannels;
    made.#channels = new Map(this.#channels);
    return made;
  }

  /** Whether everything is allowed. */
  get isUnlimited(): boolean {
    return this.#commands.isAll && this.#isAllKeys && this.#isAllChannels;
  }

  get isAllChannels(): boolean {
    return this.#isAllChannels;
  }

  get channels(): ReadonlyMap<string, Glob> {
    return this.#channels;
  }

  /** Bytes that it takes. */
  get bytes(): number {
    let bytes = this.#commands.bytes;
    for (const { text } of this.#keys) bytes += PATTERN_BYTES + text.length;
    for (const text of this.#channels.keys()) bytes += PATTERN_BYTES + text.length;
    return bytes;
  }

  /** Takes a rule. Gives what is wrong with it. */
  apply(rule: string): Problem | undefined {
    switch (rule.length > MAX_PATTERN ? '' : rule.toLowerCase()) {
      case 'allkeys':
      case '~*':
        return this.#setAllKeys(true);
      case 'resetkeys':
        return this.#setAllKeys(false);
      case 'allchannels':
      case '&*':
        return this.#setAllChannels(true);
      case 'resetchannels':
        return this.#setAllChannels(false);
      case 'allcommands':
      case '+@all':
        return this.#setAllCommands(true);
      case 'nocommands':
      case '-@all':
        return this.#setAllCommands(false);
    }
    if (rule.startsWith('~') || rule.startsWith('%')) return this.#addKeys(rule);
    if (rule.startsWith('&')) return this.#addChannels(rule.slice(1));
    if (rule.startsWith('+') || rule.startsWith('-')) return this.#commands.apply(rule);
    return PROBLEMS.syntax;
  }

  /** Whether a command is allowed; else why not. */
  check(entry: CatalogEntry, args: Args, budget: TestBudget): Denial | undefined {
    const { facts, isSubcommand } = entry;
    if (!facts.flags.includes('no_auth') && !this.#commands.allows(entry, args[isSubcommand ? 2 : 1]))
      return { reason: 'command', place: 0 };
    if (!this.#isAllKeys && mayHaveKeys(facts)) {
      budget.spend(args.length);
      const denied = keyPlaces(facts, args).find((key) => !this.#allowsKey(key, args, budget));
      if (denied !== undefined) return { reason: 'key', place: denied.place };
    }
    const place = this.#isAllChannels ? undefined : this.#deniedChannel(facts.name, args, budget);
    return place === undefined ? undefined : { reason: 'channel', place };
  }

  /** Whether any key may be read. */
  get mayReadAll(): boolean {
    return this.#isAllKeys || this.#keys.some(({ text, mayRead }) => mayRead && text === '*');
  }

  /** Its rules as ACL LIST has them. */
  describe(): string {
    const channels = this.#isAllChannels
      ? this.describeChannels()
      : `resetchannels ${this.describeChannels()}`;
    return [this.describeKeys(), channels.trim(), this.describeCommands()].filter(Boolean).join(' ');
  }

  describeCommands(): string {
    return this.#commands.describe();
  }

  describeKeys(): string {
    if (this.#isAllKeys) return '~*';
    return this.#keys
      .map(({ text, mayRead, mayWrite }) => {
        if (mayRead && mayWrite) return `~${text}`;
        return mayRead ? `%R~${text}` : `%W~${text}`;
      })
      .join(' ');
  }

  describeChannels(): string {
    return this.#isAllChannels ? '&*' : Array.from(this.#channels.keys(), (text) => `&${text}`).join(' ');
  }

  #setAllKeys(isAll: boolean): undefined {
    this.#isAllKeys = isAll;
    this.#keys = [];
  }

  #setAllChannels(isAll: boolean): undefined {
    this.#isAllChannels = isAll;
    this.#channels.clear();
  }

  #setAllCommands(isAll: boolean): undefined {
    this.#commands.setAll(isAll);
  }

  #addKeys(rule: string): Problem | undefined {
    if (this.#isAllKeys) return PROBLEMS.keysBehindAll;
    const [, letters, text] = /^(?:~|%([RW]{1,2})(?:~|$))(.*)$/is.exec(rule) ?? [];
    const wanted = letters?.toUpperCase() ?? 'RW';
    if (text === undefined || wanted === 'RR' || wanted === 'WW' || SPACE.test(text)) return PROBLEMS.syntax;
    if (text.length > MAX_PATTERN) return PROBLEMS.patternTooLong;
    const [mayRead, mayWrite] = [wanted.includes('R'), wanted.includes('W')];
    const known = this.#keys.find((pattern) => pattern.text === text);
    if (known === undefined) {
      if (this.#keys.length >= MAX_PATTERNS) return PROBLEMS.tooMany;
      this.#keys.push({ text, glob: new Glob(text), mayRead, mayWrite });
    } else {
      known.mayRead ||= mayRead;
      known.mayWrite ||= mayWrite;
    }
    return undefined;
  }

  #addChannels(text: string): Problem | undefined {
    if (this.#isAllChannels) return PROBLEMS.channelsBehindAll;
    if (SPACE.test(text)) return PROBLEMS.syntax;
    if (text.length > MAX_PATTERN) return PROBLEMS.patternTooLong;
    if (this.#channels.size >= MAX_PATTERNS) return PROBLEMS.tooMany;
    this.#channels.set(text, this.#channels.get(text) ?? new Glob(text));
    return undefined;
  }

  #allowsKey({ place, flags }: KeyPlace, args: Args, budget: TestBudget): boolean {
    const reads = flags.includes('access');
    const writes = flags.some((flag) => WRITING.has(flag));
    return this.#keys.some(
      ({ glob, mayRead, mayWrite }) =>
        (mayRead || !reads) && (mayWrite || !writes) && budget.test(glob, args[place] ?? ''),
    );
  }

  #deniedChannel(name: string, args: Args, budget: TestBudget): number | undefined {
    const found = CHANNELS.get(name);
    if (found === undefined) return undefined;
    const test = (glob: Glob, channel: string): boolean => budget.test(glob, channel);
    const end = found.isOne ? 2 : args.length;
    for (let place = 1; place < end; place += 1)
      if (!allowsChannel(this.#channels, args[place] ?? '', found.isPattern, test)) return place;
    return undefined;
  }
}

/** Whether one of these patterns allows a channel; a pattern of channels has to be one of them itself. */
export function allowsChannel(
  patterns: ReadonlyMap<string, Glob>,
  channel: string,
  isPattern: boolean,
  test = (glob: Glob, text: string): boolean => glob.test(text),
): boolean {
  if (isPattern) return patterns.has(channel);
  for (const glob of patterns.values()) if (test(glob, channel)) return true;
  return false;
}
