import { publishSample } from './advisory.js';
import { sampleRateOf, type ConsumerConfig } from './consumer-config.js';
import { MILLISECOND } from './dates.js';
import type { PendingAck } from './pending-acks.js';
import type { Surroundings } from './surroundings.js';

/**
 * Tells of a share of the acknowledgements how long they took, as `sample_freq` says.
 *
 * @param entry - what is acknowledged; `undefined` when it has been before
 */
export function sampleAck(
  around: Surroundings,
  path: readonly [stream: string, consumer: string],
  config: ConsumerConfig,
  entry: PendingAck | undefined,
  deliveries: number,
): void {
  const rate = sampleRateOf(config);
  if (entry === undefined || rate === 0 || (rate < 1 && around.roll() >= rate)) return;
  publishSample(around, path, {
    consumer_seq: entry.delivered,
    stream_seq: entry.sequence,
    ack_time: (around.clock.now() - entry.since) * MILLISECOND,
    deliveries,
  });
}
