import { defineApi } from '../api.js';
import { array, int16, int32, int64, nullableString, string } from '../fields.js';

/**
 * TxnOffsetCommit: offsets that count when the transaction is committed.
 *
 * Kafka protocol guide: TxnOffsetCommit, key 28; KIP-98.
 */
export const txnOffsetCommit = defineApi({
  key: 28,
  name: 'TxnOffsetCommit',
  min: 0,
  max: 3,
  flexible: 3,
  request: {
    transactionalId: string(),
    groupId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    generationId: int32({ since: 3, fallback: -1 }),
    memberId: string({ since: 3 }),
    groupInstanceId: nullableString({ since: 3 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        committedOffset: int64(),
        committedLeaderEpoch: int32({ since: 2, fallback: -1 }),
        committedMetadata: nullableString(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: array({
      name: string(),
      partitions: array({ partitionIndex: int32(), errorCode: int16() }),
    }),
  },
});
