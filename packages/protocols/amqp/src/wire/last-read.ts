/** Longer payloads are read each time. */
const LONGEST = 256;

/**
 * What was read of a payload, for the next one of the same bytes: who publishes sends much the same method and header with each message.
 * It is read once then, and kept once for all of them, so nobody may change it.
 */
export class LastRead<T> {
  #bytes: Buffer | undefined;
  #value: T | undefined;

  /** What was read of the same bytes, where they came last. */
  of(payload: Buffer): T | undefined {
    const bytes = this.#bytes;
    const { length } = payload;
    if (bytes?.length !== length) return undefined;
    // From the end: what differs most often is the size of the body, or the key.
    let at = length - 1;
    while (at >= 0 && bytes[at] === payload[at]) at -= 1;
    return at < 0 ? this.#value : undefined;
  }

  /** @param bytes - those of a payload, which stay as they are */
  keep(bytes: Buffer, value: T): void {
    if (bytes.length > LONGEST) return;
    this.#bytes = bytes;
    this.#value = value;
  }
}
