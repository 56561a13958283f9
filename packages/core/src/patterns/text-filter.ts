/** Bits kept for each text: with so many about one text in sixteen that was never added passes. */
const BITS_PER_TEXT = 16;
const SMALLEST = 1024;

/**
 * Tells quickly that a text was never added, from a few kilobytes that stay in the processor's cache. A map of
 * thousands of texts answers the same question only after reading memory that is cold.
 */
export class TextFilter {
  private bits = new Int32Array(SMALLEST / 32);
  private added = 0;

  /** Whether the text may be among those that were added; never `false` for one that is. */
  mayHave(text: string): boolean {
    const place = this.placeOf(text);
    return ((this.bits[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0;
  }

  /**
   * Adds a text.
   *
   * @param all - gives every text there is, this one too, when the filter has to grow; those taken away since are forgotten then
   */
  add(text: string, all: () => Iterable<string>): void {
    this.added += 1;
    if (this.added * BITS_PER_TEXT <= this.bits.length * 32) {
      this.mark(text);
      return;
    }
    const texts = [...all()];
    let size = SMALLEST;
    while (size < 2 * texts.length * BITS_PER_TEXT) size *= 2;
    this.bits = new Int32Array(size / 32);
    this.added = texts.length;
    for (const each of texts) this.mark(each);
  }

  private mark(text: string): void {
    const place = this.placeOf(text);
    this.bits[place >>> 5] = (this.bits[place >>> 5] ?? 0) | (1 << (place & 31));
  }

  private placeOf(text: string): number {
    let hash = text.length;
    for (let i = 0; i < text.length; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
    // The multiplication leaves the low bits poor; the size is a power of two.
    hash ^= hash >>> 15;
    return Math.imul(hash, 0x2c1b3c6d) & (this.bits.length * 32 - 1);
  }
}
