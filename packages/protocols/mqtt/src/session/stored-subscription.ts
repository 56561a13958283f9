import type { Asked } from '../broker/broker.js';
import type { StoredSubscription } from '../broker/sessions.js';
import type { Subscription } from '../wire/packets.js';

/** What aedes is asked for: the QoS of each message is lowered to what was granted before aedes sends it. */
const HIGHEST_QOS = 2;

/** What decides about a subscription beside its options. */
interface Circumstances {
  /** Whether the client has the same subscription already. */
  readonly isRepeated: boolean;
  /** Whether the client is a bridge that cannot say what it wants: before MQTT 5. */
  readonly isBridge: boolean;
  readonly identifier: number | undefined;
}

/** A subscription as the broker keeps it. */
export function toStored(
  { filter, qos, noLocal, retainAsPublished, retainHandling }: Subscription,
  { isRepeated, isBridge, identifier }: Circumstances,
): StoredSubscription {
  return {
    topic: filter,
    qos: HIGHEST_QOS,
    granted: qos,
    // What is retained at one end of a bridge is retained at the other, and nothing goes round in circles.
    nl: noLocal || isBridge,
    keepsRetain: retainAsPublished || isBridge,
    rap: true,
    rh: retainHandling === 1 && isRepeated ? 2 : retainHandling,
    identifier,
  };
}

/** The filters whose retained messages are asked for. */
export function retainedOf(subscriptions: readonly Asked[]): string[] {
  return subscriptions.filter(({ rh }) => rh !== 2).map(({ topic }) => topic);
}
