import type { PartitionLog, TimedOffset } from '../broker/partition-log.js';
import type { deleteRecords } from '../wire/apis/delete-records.js';
import type { listOffsets } from '../wire/apis/list-offsets.js';
import type { offsetForLeaderEpoch } from '../wire/apis/offset-for-leader-epoch.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';
import { READ_COMMITTED } from './fetch.js';
import { mapInSteps } from './in-steps.js';

/** Times that stand for places. */
const LATEST = -1;
const EARLIEST = -2;
const MAX_TIMESTAMP = -3;

export const handleListOffsets: Handler<typeof listOffsets> = function* (request, call, { broker }) {
  return {
    topics: yield* mapInSteps(request.topics, function* ({ name, partitions }) {
      const isRefused = !call.may('describe', 'topic', name);
      const seen = new Set<number>();
      return {
        name,
        partitions: yield* mapInSteps(partitions, function* ({ partitionIndex, timestamp }) {
          if (isRefused) return { partitionIndex, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
          // As in Kafka; finding an offset by time may mean to decompress a batch.
          if (seen.has(partitionIndex)) return { partitionIndex, errorCode: ERROR.INVALID_REQUEST };
          seen.add(partitionIndex);
          const log = broker.find(name)?.partitions[partitionIndex];
          if (log === undefined) return { partitionIndex, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
          const end = request.isolationLevel === READ_COMMITTED ? log.lastStableOffset : log.endOffset;
          const found = yield* findOffset(log, timestamp, end);
          // Version 0 has a list of offsets, and counts the end as the answer where there is nothing later.
          const oldStyleOffsets = [found.offset < 0 ? log.endOffset : found.offset];
          return {
            partitionIndex,
            errorCode: ERROR.NONE,
            ...found,
            leaderEpoch: found.offset < 0 ? -1 : 0,
            oldStyleOffsets,
          };
        }),
      };
    }),
  };
};

function* findOffset(log: PartitionLog, timestamp: number, end: number): Generator<undefined, TimedOffset> {
  switch (timestamp) {
    case LATEST:
      return { offset: end, timestamp: -1 };
    case EARLIEST:
      return { offset: log.startOffset, timestamp: -1 };
    case MAX_TIMESTAMP:
      return before(yield* log.latest(), end);
    default:
      return before(yield* log.offsetAt(timestamp), end);
  }
}

/** What is not decided yet is not found. */
function before(found: TimedOffset, end: number): TimedOffset {
  return found.offset < end ? found : { offset: -1, timestamp: -1 };
}

export const handleOffsetForLeaderEpoch: Handler<typeof offsetForLeaderEpoch> = function* (
  request,
  call,
  { broker },
) {
  return {
    topics: yield* mapInSteps(request.topics, function* ({ topic, partitions }) {
      const isRefused = !call.may('describe', 'topic', topic);
      return {
        topic,
        partitions: yield* mapInSteps(partitions, ({ partition, leaderEpoch }) => {
          if (isRefused) return { partition, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
          const log = broker.find(topic)?.partitions[partition];
          if (log === undefined) return { partition, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
          return leaderEpoch === 0 ? { partition, leaderEpoch: 0, endOffset: log.endOffset } : { partition };
        }),
      };
    }),
  };
};

export const handleDeleteRecords: Handler<typeof deleteRecords> = function* (request, call, { broker }) {
  return {
    topics: yield* mapInSteps(request.topics, function* ({ name, partitions }) {
      const isRefused = !call.may('delete', 'topic', name);
      return {
        name,
        partitions: yield* mapInSteps(partitions, ({ partitionIndex, offset }) => {
          if (isRefused) return { partitionIndex, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
          const log = broker.find(name)?.partitions[partitionIndex];
          if (log === undefined) return { partitionIndex, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
          // -1 stands for the end.
          const wanted = offset === -1 ? log.endOffset : offset;
          if (wanted < 0 || wanted > log.endOffset)
            return { partitionIndex, errorCode: ERROR.OFFSET_OUT_OF_RANGE };
          broker.deleteBefore(log, wanted);
          return { partitionIndex, lowWatermark: log.startOffset };
        }),
      };
    }),
  };
};
