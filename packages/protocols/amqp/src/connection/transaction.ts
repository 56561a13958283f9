import { NEXT_TURN, type Job } from '@backlot/kit';
import type { ConnectionContext } from './connection-context.js';
import type { Content } from './content.js';
import type { Delivery } from './unacked.js';

/** What a message costs beside its body and header while it is held, in bytes, roughly. */
const MESSAGE_BYTES = 500;

/** The channel that a transaction is on. */
interface PublishingChannel {
  readonly connection: Pick<ConnectionContext, 'countPartial'>;
  /** Whether a message of a wide reach is still on its way to its queues. */
  readonly isPublishing: boolean;
  /** @throws AmqpError when the message cannot be taken */
  publish(content: Content): void;
}

/** What a channel has published and acknowledged since its last commit (AMQP 0-9-1 reference, 1.9). */
export class Transaction {
  readonly #channel: PublishingChannel;
  #contents: Content[] = [];
  #settlings: { readonly deliveries: readonly Delivery[]; readonly settle: () => Job }[] = [];

  constructor(channel: PublishingChannel) {
    this.#channel = channel;
  }

  /** @throws AmqpError 506 when the connection holds too much */
  publish(content: Content): void {
    this.#channel.connection.countPartial(sizeOf(content));
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
    for (const content of contents) this.#channel.connection.countPartial(-sizeOf(content));
    return contents;
  }
}

function sizeOf({ body, header }: Content): number {
  return MESSAGE_BYTES + body.length + header.length;
}
