import type { BrokerMessage } from '../broker/broker-message.js';
import type { ChannelContext, TaggedReceiver } from './channel-context.js';

/** The consumer of direct replies on a channel. It has no queue: what it cannot take is lost. */
export class ReplyConsumer implements TaggedReceiver {
  readonly name: string;
  readonly tag: string;
  readonly #channel: ChannelContext;

  constructor(channel: ChannelContext, name: string, tag: string) {
    this.#channel = channel;
    this.name = name;
    this.tag = tag;
  }

  push(message: BrokerMessage): boolean {
    if (!this.#channel.connection.takesDeliveries) return false;
    this.#channel.sendDelivery(message, this.tag, this.#channel.unacked.nextTag(), false);
    return true;
  }
}
