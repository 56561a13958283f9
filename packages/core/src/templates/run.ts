import { BacklotError } from '../errors.js';
import type { TemplateScope } from './scope.js';

/** The most text one template may render to: 16 MiB. */
export const MAX_OUTPUT = 16 * 1024 * 1024;

/** What a section's pass costs; with the limit below a template makes at most a million passes. */
export const PASS_COST = 100;
const MAX_WORK = 100_000_000;

/** What was computed for a tag whose first name nobody knows: the tag stays in the text. */
export const UNKNOWN: unique symbol = Symbol('unknown');

/** Computes a value while a template runs. */
export type Evaluate = (run: Run) => unknown;

/** One rendering of a template: its output so far, the sections around the current tag, and what it has used up. */
export class Run {
  /** The values of the sections around the current tag, outermost first. */
  readonly stack: unknown[] = [];
  private output = '';
  private taken = 0;
  private work = 0;

  constructor(readonly scope: TemplateScope) {}

  write(text: string): void {
    this.output += text;
    if (this.taken + this.output.length > MAX_OUTPUT) {
      throw tooLarge();
    }
  }

  /** Counts work that may leave no output, such as passes over a list. */
  spend(units: number): void {
    this.work += units;
    if (this.work > MAX_WORK) {
      throw new BacklotError(
        'too_large',
        'template does too much work; at most a million section passes are allowed',
      );
    }
  }

  /** Takes the output out; what is written later still counts towards the same limit. */
  take(): string {
    const text = this.output;
    // A UTF-16 unit is at most three bytes of UTF-8.
    if (text.length * 3 > MAX_OUTPUT && Buffer.byteLength(text) > MAX_OUTPUT) {
      throw tooLarge();
    }
    this.taken += text.length;
    this.output = '';
    return text;
  }
}

function tooLarge(): BacklotError {
  return new BacklotError(
    'too_large',
    'template output is larger than 16 MiB; shorten the lists it repeats over',
  );
}
