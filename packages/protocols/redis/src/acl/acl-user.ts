import { createHash } from 'node:crypto';
import type { Args } from '../commands/args.js';
import { splitInline } from '../wire/split-inline.js';
import type { CatalogEntry, CatalogSource } from './catalog.js';
import { PROBLEMS, type Problem } from './problems.js';
import { Selector, type Denial } from './selector.js';
import { TestBudget } from './test-budget.js';

const HASH = /^[0-9a-f]{64}$/;
/** What a user, a password and a selector take beside what is in them. */
const USER_BYTES = 512;
const PASSWORD_BYTES = 128;
const SELECTOR_BYTES = 256;
/** The order in which reasons count, where no selector allows a command. */
const WEIGHTS = { command: 1, key: 2, channel: 3 } as const;

/** What is kept of a user. */
interface State {
  isOn: boolean;
  isNoPass: boolean;
  /** What RESTORE is to do with payloads, as far as it was said; it is looked through in any case. */
  sanitizes: boolean | undefined;
  /** Hexadecimal hashes (SHA-256). */
  passwords: string[];
  /** The first is that of the rules without parentheses. */
  selectors: [Selector, ...Selector[]];
}

/** A user with its rules (redis.io, "ACL", and the command page of ACL SETUSER). */
export class AclUser {
  readonly name: string;
  readonly #source: CatalogSource;
  #state: State;
  #isUnlimited = false;

  constructor(name: string, source: CatalogSource) {
    this.name = name;
    this.#source = source;
    this.#state = {
      isOn: false,
      isNoPass: false,
      sanitizes: undefined,
      passwords: [],
      selectors: [new Selector(source)],
    };
  }

  get isOn(): boolean {
    return this.#state.isOn;
  }

  get isNoPass(): boolean {
    return this.#state.isNoPass;
  }

  get passwords(): readonly string[] {
    return this.#state.passwords;
  }

  /** The rules without parentheses, then those of each pair of parentheses. */
  get selectors(): readonly [Selector, ...Selector[]] {
    return this.#state.selectors;
  }

  /** Whether all commands, keys and channels are allowed, so that nothing has to be tested. */
  get isUnlimited(): boolean {
    return this.#isUnlimited;
  }

  /** The words that describe it, in the order of Redis. */
  get flags(): readonly string[] {
    const { isOn, isNoPass, sanitizes } = this.#state;
    const sanitizing = sanitizes === true ? 'sanitize-payload' : 'skip-sanitize-payload';
    return [
      isOn ? 'on' : 'off',
      ...(isNoPass ? ['nopass'] : []),
      ...(sanitizes === undefined ? [] : [sanitizing]),
    ];
  }

  /** Bytes that it takes. */
  get bytes(): number {
    const { passwords, selectors } = this.#state;
    let bytes = USER_BYTES + this.name.length + PASSWORD_BYTES * passwords.length;
    for (const selector of selectors) bytes += SELECTOR_BYTES + selector.bytes;
    return bytes;
  }

  /** An independent copy. */
  copy(): AclUser {
    const made = new AclUser(this.name, this.#source);
    made.adopt(this);
    return made;
  }

  /** Becomes what another one is, but for the name. */
  adopt(other: AclUser): void {
    const { passwords, selectors } = other.#state;
    const [root, ...more] = selectors;
    this.#state = {
      ...other.#state,
      passwords: [...passwords],
      selectors: [root.copy(), ...more.map((selector) => selector.copy())],
    };
    this.#isUnlimited = other.#isUnlimited;
  }

  /** Takes a rule. Gives what is wrong with it. */
  apply(rule: string): Problem | undefined {
    const problem = this.#apply(rule);
    this.#isUnlimited = this.#state.selectors.some(({ isUnlimited }) => isUnlimited);
    return problem;
  }

  /** Whether a password is right. A user who is off has none. */
  accepts(password: string): boolean {
    const { isOn, isNoPass, passwords } = this.#state;
    return isOn && (isNoPass || passwords.includes(hashOf(password)));
  }

  /** Why a command is not allowed; `undefined` when it is. */
  check(entry: CatalogEntry, args: Args): Denial | undefined {
    if (this.#isUnlimited) return undefined;
    const budget = new TestBudget();
    let worst: Denial = { reason: 'command', place: 0 };
    for (const selector of this.#state.selectors) {
      const denial = selector.check(entry, args, budget);
      if (denial === undefined) return undefined;
      const more = WEIGHTS[denial.reason] - WEIGHTS[worst.reason];
      if (more > 0 || (more === 0 && denial.place > worst.place)) worst = denial;
    }
    return worst;
  }

  /** Whether a command is allowed that reads keys which it does not name. */
  allowsUnnamed(entry: CatalogEntry, args: Args): boolean {
    if (this.#isUnlimited) return true;
    const budget = new TestBudget();
    return this.#state.selectors.some(
      (selector) => selector.mayReadAll && selector.check(entry, args, budget) === undefined,
    );
  }

  /** Its rules as ACL LIST has them, without its name. */
  describe(): string {
    const [root, ...more] = this.#state.selectors;
    const passwords = this.#state.passwords.map((hash) => `#${hash}`);
    const others = more.map((selector) => `(${selector.describe()})`);
    return [...this.flags, ...passwords, root.describe(), ...others].join(' ');
  }

  #apply(rule: string): Problem | undefined {
    const state = this.#state;
    switch (rule.length > 32 ? '?' : rule.toLowerCase()) {
      case '':
        return undefined;
      case 'on':
      case 'off':
        state.isOn = rule.toLowerCase() === 'on';
        return undefined;
      case 'skip-sanitize-payload':
      case 'sanitize-payload':
        state.sanitizes = rule.toLowerCase() === 'sanitize-payload';
        return undefined;
      case 'nopass':
      case 'resetpass':
        state.isNoPass = rule.toLowerCase() === 'nopass';
        state.passwords = [];
        return undefined;
      case 'clearselectors':
        state.selectors = [state.selectors[0]];
        return undefined;
      case 'reset':
        this.#state = new AclUser(this.name, this.#source).#state;
        this.#state.sanitizes = true;
        return undefined;
    }
    if (/^[>#<!]/.test(rule)) return this.#applyPassword(rule.charAt(0), rule.slice(1));
    if (rule.startsWith('(') && rule.endsWith(')')) return this.#addSelector(rule.slice(1, -1));
    return state.selectors[0].apply(rule);
  }

  #applyPassword(sign: string, text: string): Problem | undefined {
    const state = this.#state;
    const isHash = sign === '#' || sign === '!';
    if (isHash && !HASH.test(text)) return PROBLEMS.badHash;
    const hash = isHash ? text : hashOf(text);
    const isKnown = state.passwords.includes(hash);
    if (sign === '>' || sign === '#') {
      if (!isKnown) state.passwords.push(hash);
      state.isNoPass = false;
      return undefined;
    }
    if (!isKnown) return PROBLEMS.noSuchPassword;
    state.passwords = state.passwords.filter((password) => password !== hash);
    return undefined;
  }

  #addSelector(rules: string): Problem | undefined {
    const made = new Selector(this.#source);
    // Quotes that do not end leave a selector without rules, as in redis-server.
    for (const rule of splitInline(rules) ?? []) {
      const problem = made.apply(rule);
      if (problem !== undefined) return problem;
    }
    this.#state.selectors.push(made);
    return undefined;
  }
}

/** A password as it is kept. */
export function hashOf(password: string): string {
  return createHash('sha256').update(password, 'latin1').digest('hex');
}
