import type { Headers } from '../wire/frame.js';

/** The most subscriptions of a client that are known by their number. */
const MAX_SUBSCRIPTIONS = 10_000;

/** What a client of an upstream has subscribed to. */
export class Subscribed {
  /** By the number of the subscription, or by its destination where it has none. */
  readonly #all = new Map<string, { readonly destination: string; readonly needsAck: boolean }>();

  /** The destinations. */
  get destinations(): readonly string[] {
    return Array.from(this.#all.values(), ({ destination }) => destination);
  }

  add({ id, destination = '', ack = 'auto' }: Headers): void {
    if (this.#all.size < MAX_SUBSCRIPTIONS)
      this.#all.set(id ?? destination, { destination, needsAck: ack !== 'auto' });
  }

  remove({ id, destination = '' }: Headers): void {
    this.#all.delete(id ?? destination);
  }

  /** What a message may be called that comes by a subscription: the queue of a server may have another name than that of its client. */
  namesOf({ destination = '', subscription = '' }: Headers): ReadonlySet<string> {
    return new Set([destination, subscription, this.#all.get(subscription)?.destination ?? destination]);
  }

  /** Whether messages of a subscription are acknowledged by its client. */
  needsAck(id: string): boolean {
    return this.#all.get(id)?.needsAck === true;
  }
}
