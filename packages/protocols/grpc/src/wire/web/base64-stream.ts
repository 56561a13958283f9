const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads base64 that comes in chunks of any size. Each part of it that was encoded by itself may end with padding. */
export class Base64Stream {
  #rest = '';

  /** Whether what has come is whole groups of four characters. */
  get isWhole(): boolean {
    return this.#rest === '';
  }

  /** @throws Error when it is no base64 */
  decode(chunk: Buffer): Buffer {
    const text = this.#rest + chunk.toString('latin1');
    const whole = text.length - (text.length % 4);
    this.#rest = text.slice(whole);
    const parts: Buffer[] = [];
    for (let from = 0; from < whole;) {
      const padding = text.indexOf('=', from);
      const end = padding < 0 || padding >= whole ? whole : padding + 4 - (padding % 4);
      const part = text.slice(from, end);
      if (!ALPHABET.test(part)) throw new Error('the body is no base64');
      parts.push(Buffer.from(part, 'base64'));
      from = end;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }
}
