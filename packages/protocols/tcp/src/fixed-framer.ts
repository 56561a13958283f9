import { Framer } from '@backlot/kit/framing';

/** Frames that all have the same number of bytes. */
export class FixedFramer extends Framer {
  readonly #size: number;

  /** @param size - 1 or more */
  constructor(size: number) {
    super();
    this.#size = size;
  }

  protected override measure(_bytes: Buffer, start: number, end: number): number {
    if (end - start < this.#size) return 0;
    this.frameOffset = 0;
    this.frameLength = this.#size;
    return this.#size;
  }
}
