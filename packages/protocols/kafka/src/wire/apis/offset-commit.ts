import { defineApi } from '../api.js';
import { array, int16, int32, int64, nullableString, string } from '../fields.js';

/** OffsetCommit: how far a group has read (Kafka protocol guide: OffsetCommit, key 8). */
export const offsetCommit = defineApi({
  key: 8,
  name: 'OffsetCommit',
  min: 1,
  max: 9,
  flexible: 8,
  request: {
    groupId: string(),
    generationId: int32({ fallback: -1 }),
    memberId: string(),
    groupInstanceId: nullableString({ since: 7 }),
    retentionTimeMs: int64({ since: 2, until: 4, fallback: -1 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        committedOffset: int64(),
        committedLeaderEpoch: int32({ since: 6, fallback: -1 }),
        commitTimestamp: int64({ until: 1, fallback: -1 }),
        committedMetadata: nullableString(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ since: 3 }),
    topics: array({
      name: string(),
      partitions: array({ partitionIndex: int32(), errorCode: int16() }),
    }),
  },
});
