import { API_ERRORS } from './errors.js';

/** The largest number that a field takes: whole numbers stay exact. */
const MOST = Number.MAX_SAFE_INTEGER;

/** The fields of a request's JSON object, each with the type it must have; what is absent or null has its default. */
export class Fields {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(object: object) {
    this.#values = new Map(Object.entries(object));
  }

  /**
   * Reads the payload of a request.
   *
   * @param whenEmpty - what an empty payload stands for
   * @throws ApiError 10025 for what is no JSON object
   */
  static read(payload: Buffer, whenEmpty?: object): Fields {
    if (payload.length === 0) {
      if (whenEmpty !== undefined) return new Fields(whenEmpty);
      throw API_ERRORS.invalidJson('unexpected end of JSON input');
    }
    let value: unknown;
    try {
      value = JSON.parse(payload.toString('utf8'));
    } catch {
      throw API_ERRORS.invalidJson('the payload is no JSON');
    }
    if (value === null) return new Fields({});
    if (typeof value !== 'object' || Array.isArray(value)) throw API_ERRORS.invalidJson('no JSON object');
    return new Fields(value);
  }

  has(name: string): boolean {
    const value = this.#values.get(name);
    return value !== undefined && value !== null;
  }

  text(name: string, absent = ''): string {
    const value = this.#values.get(name) ?? absent;
    if (typeof value !== 'string') throw wrong(name, 'a string', value);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#values.get(name) ?? false;
    if (typeof value !== 'boolean') throw wrong(name, 'true or false', value);
    return value;
  }

  /** A whole number; durations are in nanoseconds. */
  number(name: string, absent = 0): number {
    const value = this.#values.get(name) ?? absent;
    if (typeof value !== 'number' || !Number.isInteger(value)) throw wrong(name, 'a whole number', value);
    return Math.min(value, MOST);
  }

  numbers(name: string): readonly number[] {
    return this.#list(name, (value): value is number => Number.isInteger(value), 'whole numbers');
  }

  texts(name: string): readonly string[] {
    return this.#list(name, (value): value is string => typeof value === 'string', 'strings');
  }

  /** One of some words. */
  word<T extends string>(name: string, words: readonly [T, ...T[]]): T {
    const value = this.#values.get(name) ?? words[0];
    const word = words.find((known) => known === value);
    if (word === undefined) throw API_ERRORS.invalidJson(`can not unmarshal ${JSON.stringify(value)}`);
    return word;
  }

  object(name: string): Fields | undefined {
    const value = this.#values.get(name);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) throw wrong(name, 'an object', value);
    return new Fields(value);
  }

  objects(name: string): readonly Fields[] {
    const isObject = (value: unknown): value is object =>
      typeof value === 'object' && value !== null && !Array.isArray(value);
    return this.#list(name, isObject, 'objects').map((value) => new Fields(value));
  }

  #list<T>(name: string, isItem: (value: unknown) => value is T, what: string): readonly T[] {
    const value = this.#values.get(name) ?? [];
    if (!Array.isArray(value) || !value.every(isItem)) throw wrong(name, `a list of ${what}`, value);
    return value;
  }
}

function wrong(name: string, wanted: string, value: unknown): Error {
  return API_ERRORS.invalidJson(`${name} is ${JSON.stringify(value).slice(0, 100)}; it must be ${wanted}`);
}
