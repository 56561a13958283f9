import type { BrokerMessage } from '../broker/broker-message.js';
import type { ReplyReceiver } from '../broker/reply-addresses.js';
import type { AmqpError } from '../wire/amqp-error.js';
import type { ArgumentsOf, Fields, Method } from '../wire/method.js';
import type { Confirms } from './confirms.js';
import type { ConnectionContext } from './connection-context.js';
import type { PublishArguments } from './content.js';
import type { Transaction } from './transaction.js';
import type { Delivery, Holder, Unacked } from './unacked.js';

/** Takes direct replies, without a queue. */
export interface TaggedReceiver extends ReplyReceiver {
  /** The tag of its consumer. */
  readonly tag: string;
}

/** What the handlers of methods, and the parts of a channel, may see and do of it. */
export interface ChannelContext {
  /** The connection that it is a channel of. */
  readonly connection: ConnectionContext;
  /** Its number on the connection. */
  readonly number: number;
  /** What waits for its acknowledgement. */
  readonly unacked: Unacked;
  /** The consumers of queues, by their tags. */
  readonly consumers: Map<string, Holder>;
  /** The consumer of direct replies. */
  replyConsumer: TaggedReceiver | undefined;
  /** What new consumers get as their prefetch; 0 is any number. */
  prefetch: number;
  /** What all consumers together may hold; 0 is any number. */
  sharedPrefetch: number;
  /** The queue that was declared last, which an empty name stands for. */
  lastQueue: string | undefined;
  /** Absent until confirm.select. */
  readonly confirms: Confirms | undefined;
  /** Absent until tx.select. */
  readonly transaction: Transaction | undefined;
  /** Whether consumers of this channel may get messages. */
  readonly takesDeliveries: boolean;
  /** Begins to take a message. */
  expectContent(publish: PublishArguments): void;
  /** From now on messages are confirmed. */
  startConfirms(): void;
  /** From now on messages and acknowledgements wait for a commit. */
  startTransaction(): void;
  /** Sends a method. */
  send<F extends Fields>(method: Method<F>, values: ArgumentsOf<F>): void;
  /** Sends a method that has content. */
  sendContent<F extends Fields>(method: Method<F>, values: ArgumentsOf<F>, message: BrokerMessage): void;
  /** Sends a message to a consumer. */
  sendDelivery(message: BrokerMessage, consumerTag: string, deliveryTag: number, redelivered: boolean): void;
  /** Ends the channel, or the connection, for something that is not about the frame at hand. */
  failLater(error: AmqpError): void;
  /** Deliveries are done with: their consumers can take more. */
  settled(deliveries: readonly Delivery[]): void;
  /** Hands out what consumers of this channel can take now. */
  pump(): void;
  /** Stops consuming and gives back what was not acknowledged. */
  release(): void;
}
