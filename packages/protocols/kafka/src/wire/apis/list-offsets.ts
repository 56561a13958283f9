import { defineApi } from '../api.js';
import { array, int16, int32, int64, int8, listOf, string } from '../fields.js';

/**
 * ListOffsets: the first, the last, or the first offset at or after a time.
 *
 * Kafka protocol guide: ListOffsets, key 2; KIP-79.
 */
export const listOffsets = defineApi({
  key: 2,
  name: 'ListOffsets',
  min: 0,
  max: 7,
  flexible: 6,
  request: {
    replicaId: int32(),
    isolationLevel: int8({ since: 2 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        currentLeaderEpoch: int32({ since: 4, fallback: -1 }),
        timestamp: int64(),
        maxNumOffsets: int32({ until: 0, fallback: 1 }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ since: 2 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16(),
        oldStyleOffsets: listOf(int64(), { until: 0 }),
        timestamp: int64({ since: 1, fallback: -1 }),
        offset: int64({ since: 1, fallback: -1 }),
        leaderEpoch: int32({ since: 4, fallback: -1 }),
      }),
    }),
  },
});
