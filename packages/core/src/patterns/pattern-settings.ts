import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { CompileBudget } from '../validation/compile-budget.js';

/** What patterns see beside the value that they look at. */
export interface Surroundings {
  /** Gives what tells virtual time, in milliseconds since 1970-01-01T00:00:00Z. */
  clock(): () => number;
  /**
   * Compiles a text that is a template for the message that is being matched.
   *
   * @throws invalid when it does not parse, or does what has an effect
   */
  template(source: string, budget: CompileBudget): (message: Message | undefined) => string;
}

/** What the patterns of one mock see, made anew for each mock. */
export interface OwnSurroundings extends Surroundings {
  /** The mock, once it is compiled: templates in its patterns see what it captures. */
  compiled: Pick<CompiledMock<Message>, 'params'> | undefined;
  /** Whether a pattern asks for something, so that the mock means nothing in another host. */
  readonly isUsed: boolean;
}

/** What all parts of one pattern are compiled with. */
export interface PatternSettings {
  readonly caseInsensitive: boolean;
  readonly budget: CompileBudget;
  /** Absent where there is no clock and no message, outside of mocks. */
  readonly surroundings: Surroundings | undefined;
  /** Told of each regular expression with named groups. */
  readonly onCapturing?: (() => void) | undefined;
}
