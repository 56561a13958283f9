import type { Log } from '../contract/log.js';
import type { Problem } from '../errors.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';

/** What the mocks of one kind say and hardly mean: the first hundred. */
export class MockWarnings {
  readonly list: Problem[] = [];
  readonly #noun: string;
  readonly #log: Pick<Log, 'warn'> | undefined;

  /** @param log - told of each; absent where nobody is to be told */
  constructor(noun: string, log: Pick<Log, 'warn'> | undefined) {
    this.#noun = noun;
    this.#log = log;
  }

  add(id: string, warning: Problem): void {
    if (this.list.length >= MAX_PROBLEMS) return;
    this.list.push(warning);
    this.#log?.warn(`${this.#noun} "${id}": ${warning.path}: ${warning.message}`);
  }
}
