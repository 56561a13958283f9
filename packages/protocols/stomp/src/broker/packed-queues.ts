import type { Headers } from '../wire/frame.js';
import type { SavedQueues } from './broker.js';
import { BrokerMessage } from './broker-message.js';

/** A message of a queue as plain data. */
interface PackedEntry {
  readonly id: string;
  readonly destination: string;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly isRedelivered: boolean;
}

type PackedQueues = readonly (readonly [string, readonly PackedEntry[]])[];

/** A snapshot of the queues as it passes to another process. */
export function packQueues(saved: SavedQueues): PackedQueues {
  return saved.map(([name, entries]) => [
    name,
    entries.map(({ message: { id, destination, headers, body }, isRedelivered }) => ({
      ...{ id, destination, headers, body },
      isRedelivered,
    })),
  ]);
}

/** Takes back {@link packQueues}. */
export function unpackQueues(packed: unknown): SavedQueues {
  return (packed as PackedQueues).map(([name, entries]) => [
    name,
    entries.map(({ id, destination, headers, body, isRedelivered }) => ({
      message: new BrokerMessage(id, destination, headers, body),
      isRedelivered,
    })),
  ]);
}
