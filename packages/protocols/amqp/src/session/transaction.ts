import { NEXT_TURN, type Job } from '@backlot/kit';
import type { Channel } from './channel.js';
import type { Content } from './content.js';
import type { Delivery } from './unacked.js';

/** What a message costs beside its body and header while it is held, in bytes, roughly. */
const MESSAGE_BYTES = 500;

/** What a channel has published and acknowledged since its last commit (AMQP 0-9-1 reference, 1.9). */
export class Transaction {
  readonly #channel: Channel;
  #contents: Content[] = [];
  #settlings: { readonly deliveries: readonly Delivery[]; readonly settle: () => Job }[] = [];

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** @throws AmqpError 506 when the connection holds too much */
  publish(content: Content): void {
    this.#channel.session.countPartial(sizeOf(content));
    this.#contents.push(content);
  }

  /** Keeps an acknowledgement until the commit. @param settle - the steps of it */
  settle(deliveries: readonly Delivery[], settle: () => Job): void {
    this.#settlings.push({ deliveries, settle });
  }

  /** Publishes and acknowledges all, in steps. */
  *commit(): Generator {
    const contents = this.#takeContents();
    const settlings = this.#settlings;
    this.#settlings = [];
    for (const content of contents) {
      this.#channel.publish(content);
      yield;
      while (this.#channel.isPublishing) yield NEXT_TURN;
    }
    for (const { settle } of settlings) {
      const steps = settle();
      for (let step = steps.next(); step.done !== true; step = steps.next()) yield step.value;
    }
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
    for (const content of contents) this.#channel.session.countPartial(-sizeOf(content));
    return contents;
  }
}

function sizeOf({ body, header }: Content): number {
  return MESSAGE_BYTES + body.length + header.length;
}
