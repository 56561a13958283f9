import type { BrokerMessage } from './broker-message.js';

/** The name that stands for "the channel that asks" in `reply_to`, and for the queue that its answers are consumed from. */
export const DIRECT_REPLY = 'amq.rabbitmq.reply-to';

/** Takes answers that are sent to one channel without a queue. */
export interface ReplyReceiver {
  readonly name: string;
  push(message: BrokerMessage): boolean;
}

/** Whether a routing key is the address of a channel. */
export function isReplyAddress(name: string): boolean {
  return name.startsWith(`${DIRECT_REPLY}.`);
}

/** The channels that wait for direct replies, by the address that stands in their requests. */
export class ReplyAddresses {
  readonly #receivers = new Map<string, ReplyReceiver>();

  find(name: string): ReplyReceiver | undefined {
    return this.#receivers.get(name);
  }

  add(receiver: ReplyReceiver): void {
    this.#receivers.set(receiver.name, receiver);
  }

  remove(receiver: ReplyReceiver): void {
    this.#receivers.delete(receiver.name);
  }
}
