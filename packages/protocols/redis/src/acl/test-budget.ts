import { fail } from '../wire/errors.js';
import type { Glob } from '../data/glob.js';

/** Most characters that one command's keys and channels are compared with patterns of rules. */
const MOST = 4 * 1024 * 1024;
/** What a comparison takes beside its characters. */
const EACH = 16;

/** How much of the comparisons of one command is left: rules are tested in one step, which may not take long. */
export class TestBudget {
  #left = MOST;

  /** Notes that something is done with as many arguments. @throws CommandError when there has been too much */
  spend(count: number, characters = 0): void {
    this.#left -= EACH * count + characters;
    if (this.#left < 0)
      fail('ERR the keys of this command are too many, or too long, for the number of patterns of this user');
  }

  /** Whether a text matches. @throws CommandError when there has been too much */
  test(glob: Glob, text: string): boolean {
    this.spend(1, text.length);
    return glob.test(text);
  }
}
