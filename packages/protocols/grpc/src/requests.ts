import { decodeMessage } from './codec/decode.js';
import type { Method } from './schema/model.js';
import { parseOrKeep, type Requests } from './message.js';

/** How much of the messages of one call is kept for templates and the journal, in bytes. */
const MOST_KEPT = 4 * 1024 * 1024;
/** A message that holds almost nothing still costs this much to keep. */
const LEAST_COST = 64;

/** The request messages of one call. Every one is checked; beyond a bound further ones are not kept. */
export class RequestMessages implements Requests {
  body: string | Uint8Array | undefined = undefined;
  readonly messages: unknown[] = [];
  isWhole = false;
  count = 0;
  #kept = 0;
  readonly #method: Method | undefined;

  constructor(method: Method | undefined) {
    this.#method = method;
  }

  /**
   * Adds a message.
   *
   * @throws FieldError when the bytes are no message of the method's type
   */
  add(bytes: Buffer): void {
    const value = this.#method === undefined ? undefined : decodeMessage(this.#method.request, bytes);
    this.count += 1;
    this.#kept += bytes.length + LEAST_COST;
    if (this.count > 1 && this.#kept > MOST_KEPT) return;
    if (this.#method === undefined) {
      this.messages.push(parseOrKeep(bytes.toString('utf8')));
      this.body ??= bytes;
      return;
    }
    this.messages.push(value);
    this.body ??= JSON.stringify(value);
  }
}
