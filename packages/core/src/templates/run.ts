import { BacklotError } from '../errors.js';
import type { TemplateScope } from './scope.js';
import { toText } from './text-forms.js';

/** The most text one template may render to: 16 MiB. */
export const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * The most work of one rendering. A unit is what it costs to produce or copy one byte of text, one to two nanoseconds,
 * so that all of it stays below 50 milliseconds.
 */
const MAX_WORK = 32_000_000;

/** What steps cost in units of work, measured where nothing else says how much there is to do. */
export const COST = {
  /** One pass of a section. */
  pass: 100,
  /** A piece of output, beside its length. */
  piece: 15,
  /** A tag, whether it gives anything or not; also each section around it, in which its name is looked for. */
  tag: 40,
  frame: 10,
  /** A call of a helper that makes something small, such as a date or a number. */
  call: 300,
  /** A call of a helper that begins a digest. */
  digest: 2_000,
  /** What a helper adds that makes something larger by chance, such as an identifier or a sentence. */
  made: 700,
  /** A character that is drawn by chance, or a word that is chosen. */
  drawn: 40,
  /** A character that is changed, escaped, decoded or digested. */
  changed: 3,
  /** A character of JSON that is written for a value, or one that is encoded for a url. */
  encoded: 6,
} as const;

/** Texts of objects that are shorter are written anew as quickly as they are found again. */
const WORTH_KEEPING = 256;

/** What was computed for a tag whose first name nobody knows: the tag stays in the text. */
export const UNKNOWN: unique symbol = Symbol('unknown');

/** Computes a value while a template runs. */
export type Evaluate = (run: Run) => unknown;

/** One rendering of a template: its output so far, the sections around the current tag, and what it has used up. */
export class Run {
  /** The values of the sections around the current tag, outermost first. */
  readonly stack: unknown[] = [];
  /** Where the innermost list that is gone through stands, from 0, and how many elements it has; -1 outside of all. */
  index = -1;
  count = 0;
  private output = '';
  private taken = 0;
  private work = 0;
  /** The texts of objects that were long to write. */
  private texts: Map<object, string> | undefined;

  constructor(readonly scope: TemplateScope) {}

  write(text: string): void {
    this.output += text;
    this.spend(COST.piece + text.length);
    if (this.taken + this.output.length > MAX_OUTPUT) {
      throw tooLarge();
    }
  }

  /**
   * Counts work: steps by {@link COST}, and the characters or bytes that are produced or copied on the way. What leaves
   * output of its own is counted by {@link write}.
   *
   * @throws too_large when one rendering does too much
   */
  spend(units: number): void {
    this.work += units;
    if (this.work > MAX_WORK) {
      throw new BacklotError(
        'too_large',
        `template does too much work: more than ${MAX_WORK} units, of which a byte of text is one and a pass of a section ${COST.pass}; shorten the texts it changes and the lists it goes through`,
      );
    }
  }

  /**
   * A value as plain text, see {@link toText}. That of an object is made and counted once in a rendering, whatever number of
   * tags and passes write it.
   *
   * @throws too_large when one rendering does too much
   */
  textOf(value: unknown): string {
    if (typeof value !== 'object' || value === null) return this.counted(toText(value));
    const known = this.texts?.get(value);
    if (known !== undefined) return known;
    const text = this.counted(toText(value));
    if (text.length >= WORTH_KEEPING) (this.texts ??= new Map()).set(value, text);
    return text;
  }

  private counted(text: string): string {
    this.spend(text.length * COST.encoded);
    return text;
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
