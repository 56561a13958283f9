import { randomBytes } from 'node:crypto';
import type { StoredMock } from '../contract/given.js';
import { invalid } from '../errors.js';
import { frozenCopy } from '../validation/freeze.js';
import { show } from '../validation/messages.js';
import { isObject } from '../validation/pointer.js';
import { isTested, markTested } from '../validation/tested.js';
import { holdsTooMuch, MAX_VALUES } from '../validation/value-size.js';
import { storedRespond } from './functions.js';
import { recall, remember, type CheckedMock } from './checked-mocks.js';
import { withStateTexts } from './state-texts.js';
import type { MockCompiler, ReadyMock } from './mock-compiler.js';
import { alreadyThere, type PreparedMock } from './new-mocks.js';

/** Makes stored values of what is given for the mocks of one kind: copies with an id that nobody can change. */
export class MockIntake {
  readonly #compiler: MockCompiler;
  readonly #has: (id: string) => boolean;
  readonly #remembers: boolean;

  /** @param remembers - whether what is valid is kept for another host that is made of the same */
  constructor(compiler: MockCompiler, has: (id: string) => boolean, remembers: boolean) {
    this.#compiler = compiler;
    this.#has = has;
    this.#remembers = remembers;
  }

  /**
   * Checks and compiles a new mock.
   *
   * @param base - the JSON pointer of the mock, for problems
   * @param taken - ids that are given out and not stored yet; this one's is added
   * @throws BacklotError `invalid`, `conflict`
   */
  prepare(mock: unknown, base: string, taken: Set<string>): PreparedMock {
    if (!isObject(mock)) throw this.#unfit(`must be an object, got ${show(mock)}`, base);
    const known = recall(mock, this.#compiler.protocol);
    if (known !== undefined)
      return this.#accept(known.value, this.#compiler.accept(this.#compiler.adopt(known), base), taken);
    const given = mock['id'];
    const id =
      typeof given === 'string' && given !== ''
        ? given
        : given === undefined
          ? this.#newId(taken)
          : undefined;
    const value = id === undefined ? (mock as unknown as StoredMock) : this.withId(mock, id, base);
    if (isTested(mock)) markTested(value);
    const ready = this.#compiler.accept(this.#check(mock, value, base), base);
    return this.#accept(value, ready, taken);
  }

  #accept(value: StoredMock, ready: ReadyMock, taken: Set<string>): PreparedMock {
    if (this.#has(value.id) || taken.has(value.id)) throw alreadyThere(this.#compiler.noun, value.id);
    taken.add(value.id);
    return { value, ready };
  }

  /** @throws BacklotError `invalid` when it is no object, or holds too much to be checked at once */
  withId(mock: unknown, id: string, base = ''): StoredMock {
    if (!isObject(mock)) throw this.#unfit(`must be an object, got ${show(mock)}`, base);
    if (holdsTooMuch(mock))
      throw this.#unfit(`must not hold more than ${MAX_VALUES} fields and elements`, base);
    const { id: _given, respond, ...rest } = withStateTexts(mock);
    const stored: StoredMock = frozenCopy({ id, ...rest });
    if (respond === undefined) return stored;
    return Object.freeze({ ...stored, respond: storedRespond(respond) }) as StoredMock;
  }

  #check(given: object, value: StoredMock, base: string): CheckedMock {
    const mock = this.#compiler.check(value, base);
    if (this.#remembers) remember(given, this.#compiler.protocol, mock);
    return mock;
  }

  #unfit(message: string, base: string): Error {
    return invalid(`${this.#compiler.noun} ${message}`, [{ path: base, message }]);
  }

  /** Of ten thousand random ids two are the same now and then. */
  #newId(taken: ReadonlySet<string>): string {
    for (;;) {
      const id = `${this.#compiler.kind}-${randomBytes(4).toString('hex')}`;
      if (!this.#has(id) && !taken.has(id)) return id;
    }
  }
}
