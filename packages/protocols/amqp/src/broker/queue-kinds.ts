/** What `x-queue-type` may say. */
export const QUEUE_KINDS = ['classic', 'quorum', 'stream'] as const;
export type QueueKind = (typeof QUEUE_KINDS)[number];

const CLASSIC: readonly QueueKind[] = ['classic'];
const QUORUM: readonly QueueKind[] = ['quorum'];
const STREAM: readonly QueueKind[] = ['stream'];
const BOTH: readonly QueueKind[] = ['classic', 'quorum'];
const ALL: readonly QueueKind[] = QUEUE_KINDS;

/** Which types of queues take an argument, as RabbitMQ has it. */
const KINDS: ReadonlyMap<string, readonly QueueKind[]> = new Map([
  ['x-message-ttl', BOTH],
  ['x-expires', BOTH],
  ['x-max-length', BOTH],
  ['x-overflow', BOTH],
  ['x-dead-letter-exchange', BOTH],
  ['x-dead-letter-routing-key', BOTH],
  ['x-single-active-consumer', BOTH],
  ['x-max-priority', CLASSIC],
  ['x-queue-mode', CLASSIC],
  ['x-queue-version', CLASSIC],
  ['x-queue-master-locator', CLASSIC],
  ['x-delivery-limit', QUORUM],
  ['x-dead-letter-strategy', QUORUM],
  ['x-max-in-memory-length', BOTH],
  ['x-max-in-memory-bytes', BOTH],
  ['x-quorum-initial-group-size', QUORUM],
  ['x-quorum-target-group-size', QUORUM],
  ['x-queue-leader-locator', ALL],
  ['x-max-age', STREAM],
  ['x-stream-max-segment-size-bytes', STREAM],
  ['x-stream-filter-size-bytes', STREAM],
  ['x-initial-cluster-size', STREAM],
]);

/** The types of queues that take an argument; `undefined` for one that all take, such as an application's own. */
export function kindsThatTake(argument: string): readonly QueueKind[] | undefined {
  return KINDS.get(argument);
}
