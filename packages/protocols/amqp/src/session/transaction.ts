import type { Channel } from './channel.js';
import type { Content } from './content.js';
import type { Delivery } from './unacked.js';

/** What a channel has published and acknowledged since its last commit. */
export class Transaction {
  readonly #channel: Channel;
  #contents: Content[] = [];
  #settlings: { readonly deliveries: readonly Delivery[]; readonly settle: () => void }[] = [];

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** @throws AmqpError 506 when the connection holds too much */
  publish(content: Content): void {
    this.#channel.session.countPartial(content.body.length);
    this.#contents.push(content);
  }

  /** Keeps an acknowledgement until the commit. */
  settle(deliveries: readonly Delivery[], settle: () => void): void {
    this.#settlings.push({ deliveries, settle });
  }

  commit(): void {
    const contents = this.#takeContents();
    const settlings = this.#settlings;
    this.#settlings = [];
    for (const content of contents) this.#channel.publish(content);
    for (const { settle } of settlings) settle();
  }

  /** Forgets all; answers the deliveries whose acknowledgement is void. */
  rollback(): readonly Delivery[] {
    this.#takeContents();
    const deliveries = this.#settlings.flatMap((each) => each.deliveries);
    this.#settlings = [];
    return deliveries;
  }

  #takeContents(): readonly Content[] {
    const contents = this.#contents;
    this.#contents = [];
    for (const { body } of contents) this.#channel.session.countPartial(-body.length);
    return contents;
  }
}
