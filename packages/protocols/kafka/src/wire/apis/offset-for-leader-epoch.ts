import { defineApi } from '../api.js';
import { array, int16, int32, int64, string } from '../fields.js';

/**
 * OffsetForLeaderEpoch: where an epoch of the leader ends; there is one epoch, 0.
 *
 * Kafka protocol guide: OffsetForLeaderEpoch, key 23; KIP-101.
 */
export const offsetForLeaderEpoch = defineApi({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  min: 2,
  max: 4,
  flexible: 4,
  request: {
    replicaId: int32({ since: 3, fallback: -2 }),
    topics: array({
      topic: string(),
      partitions: array({ partition: int32(), currentLeaderEpoch: int32(), leaderEpoch: int32() }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: array({
      topic: string(),
      partitions: array({
        errorCode: int16(),
        partition: int32(),
        leaderEpoch: int32({ fallback: -1 }),
        endOffset: int64({ fallback: -1 }),
      }),
    }),
  },
});
