import type { BrokerMessage } from './broker-message.js';

/** A message in a queue. */
export interface QueueEntry {
  readonly message: BrokerMessage;
  /** Its place in the queue. */
  readonly sequence: number;
  isRedelivered: boolean;
}
