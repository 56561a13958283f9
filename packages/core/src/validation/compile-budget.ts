import { invalid } from '../errors.js';

const MAX_TAGS = 5_000;
const MAX_INSTRUCTIONS = 15_000;
const MAX_ALTERNATIVES = 10_000;
const MAX_VALUES = 10_000;
const MAX_SCHEMA_SIZE = 1_000;
/** What a regular expression costs to compile however short it is, in instructions. */
const REGEX_COST = 50;

/** Bounds what is compiled for one mock, so that creating it holds up nobody; each part alone has bounds of its own. */
export class CompileBudget {
  /** The sequences of `seq` that the templates together count on, with how often at most. */
  readonly sequences = new Map<string, number>();
  /** Whether it is only known of a message which sequences they count on, or how often. */
  hasOpenSequences = false;
  #tags = 0;
  #instructions = 0;
  #alternatives = 0;
  #values = 0;
  #schemaSize = 0;

  /** Notes that a template counts, see `noteSequences`. */
  noteSequence = (name: string | undefined): void => {
    if (name === undefined) this.hasOpenSequences = true;
    else this.sequences.set(name, (this.sequences.get(name) ?? 0) + 1);
  };

  /** @throws invalid when the templates together have more than 5,000 tags */
  addTags(count: number): void {
    this.#tags += count;
    if (this.#tags > MAX_TAGS) {
      throw invalid(
        `templates have ${this.#tags} tags up to here; at most ${MAX_TAGS} are allowed in one mock`,
      );
    }
  }

  /**
   * @param size - the instructions of one program
   * @throws invalid when the regular expressions together have more than 15,000 instructions, 50 of them for each
   */
  addRegex(size: number): void {
    this.#instructions += REGEX_COST + size;
    if (this.#instructions > MAX_INSTRUCTIONS) {
      throw invalid(
        `regular expressions compile to ${this.#instructions} instructions up to here, ${REGEX_COST} for each counted in; at most ${MAX_INSTRUCTIONS} are allowed in one mock`,
      );
    }
  }

  /** @throws invalid when the lists of `any_of` and `all_of` together have more than 10,000 elements */
  addAlternatives(count: number): void {
    this.#alternatives += count;
    if (this.#alternatives > MAX_ALTERNATIVES) {
      throw invalid(
        `patterns have ${this.#alternatives} elements in "any_of" and "all_of" up to here; at most ${MAX_ALTERNATIVES} are allowed in one mock`,
      );
    }
  }

  /** @throws invalid when the patterns together compare with more than 10,000 values of JSON */
  addValues(count: number): void {
    this.#values += count;
    if (this.#values > MAX_VALUES) {
      throw invalid(
        `patterns compare with ${this.#values} values of JSON up to here; at most ${MAX_VALUES} are allowed in one mock`,
      );
    }
  }

  /**
   * @param size - keywords, and elements of their lists
   * @throws invalid when the JSON Schemas together have more than 1,000 of them
   */
  addSchema(size: number): void {
    this.#schemaSize += size;
    if (this.#schemaSize > MAX_SCHEMA_SIZE) {
      throw invalid(
        `JSON Schemas have ${this.#schemaSize} keywords and elements up to here; at most ${MAX_SCHEMA_SIZE} are allowed in one mock`,
      );
    }
  }
}
