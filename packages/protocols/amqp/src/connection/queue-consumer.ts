import type { Entry } from '../broker/entry.js';
import type { BrokerQueue } from '../broker/queue-types.js';
import type { FieldTable } from '../wire/field-table.js';
import { basic } from '../wire/classes/basic.js';
import type { ChannelContext } from './channel-context.js';
import type { Holder } from './unacked.js';

/** How a client consumes. */
interface ConsumeOptions {
  readonly tag: string;
  readonly noAck: boolean;
  readonly isExclusive: boolean;
  /** How many unacknowledged messages it takes; 0 is any number. */
  readonly prefetch: number;
  readonly arguments: FieldTable;
}

/** A consumer of a client, on one channel and one queue. */
export class QueueConsumer implements Holder {
  readonly channel: ChannelContext;
  readonly queue: BrokerQueue;
  readonly options: ConsumeOptions;
  unackedCount = 0;

  constructor(channel: ChannelContext, queue: BrokerQueue, options: ConsumeOptions) {
    this.channel = channel;
    this.queue = queue;
    this.options = options;
  }

  get isExclusive(): boolean {
    return this.options.isExclusive;
  }

  get arguments(): FieldTable {
    return this.options.arguments;
  }

  canTake(): boolean {
    const { channel, options } = this;
    if (!channel.takesDeliveries) return false;
    if (options.noAck) return true;
    if (options.prefetch > 0 && this.unackedCount >= options.prefetch) return false;
    return channel.sharedPrefetch === 0 || channel.unacked.size < channel.sharedPrefetch;
  }

  deliver(entry: Entry): void {
    const { channel, options, queue } = this;
    const tag = channel.unacked.nextTag();
    if (options.noAck) queue.settle(entry);
    else {
      channel.unacked.add({ tag, entry, queue, consumer: this });
      this.unackedCount += 1;
    }
    channel.sendDelivery(entry.delivered, options.tag, tag, entry.isRedelivered);
  }

  cancelled(): void {
    const { channel, options } = this;
    channel.consumers.delete(options.tag);
    if (channel.connection.wantsCancelNotices) {
      channel.send(basic.cancel, { consumerTag: options.tag, noWait: true });
    }
  }
}
