import type { PiecedText } from '@backlot/core/plugin';

/** A long text of a mail, of which lists show the beginning alone. */
export interface LongText extends PiecedText {
  /** Whether it takes memory beside the bytes of the mail. */
  readonly isKept: boolean;
  /** Makes the whole text. */
  whole(): string;
  /** Makes the first characters of the text. */
  start(most: number): string;
}

/** A text that had to be decoded. It stays in pieces until somebody asks, since putting long ones together takes its time. */
export class DecodedText implements LongText {
  readonly isKept = true;
  readonly length: number;
  readonly #pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  pieces(): Iterable<string> {
    return this.#pieces;
  }

  whole(): string {
    return this.#pieces.join('');
  }

  start(most: number): string {
    const wanted: string[] = [];
    let length = 0;
    for (const piece of this.#pieces) {
      if (length >= most) break;
      wanted.push(piece);
      length += piece.length;
    }
    return wanted.join('').slice(0, most);
  }
}
