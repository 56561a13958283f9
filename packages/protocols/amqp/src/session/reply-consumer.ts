import type { BrokerMessage } from '../broker/broker-message.js';
import type { ReplyReceiver } from '../broker/reply-addresses.js';
import type { Channel } from './channel.js';

/** The consumer of direct replies on a channel. It has no queue: what it cannot take is lost. */
export class ReplyConsumer implements ReplyReceiver {
  readonly name: string;
  readonly tag: string;
  readonly #channel: Channel;

  constructor(channel: Channel, name: string, tag: string) {
    this.#channel = channel;
    this.name = name;
    this.tag = tag;
  }

  push(message: BrokerMessage): boolean {
    if (!this.#channel.session.takesDeliveries) return false;
    this.#channel.sendDelivery(message, this.tag, this.#channel.unacked.nextTag(), false);
    return true;
  }
}
