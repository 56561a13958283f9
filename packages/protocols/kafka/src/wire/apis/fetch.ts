import { defineApi } from '../api.js';
import { array, int16, int32, int64, int8, listOf, nullableArray, records, string, uuid } from '../fields.js';

/**
 * Fetch: reads record batches, waiting for them when asked to. From version 13 on topics go by their id.
 *
 * Kafka protocol guide: Fetch, key 1; KIP-516.
 */
export const fetch = defineApi({
  key: 1,
  name: 'Fetch',
  min: 4,
  max: 13,
  flexible: 12,
  request: {
    replicaId: int32(),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ since: 3, fallback: 0x7fffffff }),
    isolationLevel: int8({ since: 4 }),
    sessionId: int32({ since: 7 }),
    sessionEpoch: int32({ since: 7, fallback: -1 }),
    topics: array({
      topic: string({ until: 12 }),
      topicId: uuid({ since: 13 }),
      partitions: array({
        partition: int32(),
        currentLeaderEpoch: int32({ since: 9, fallback: -1 }),
        fetchOffset: int64(),
        lastFetchedEpoch: int32({ since: 12, fallback: -1 }),
        logStartOffset: int64({ since: 5, fallback: -1 }),
        partitionMaxBytes: int32(),
      }),
    }),
    forgottenTopicsData: array(
      { topic: string({ until: 12 }), topicId: uuid({ since: 13 }), partitions: listOf(int32()) },
      { since: 7 },
    ),
    rackId: string({ since: 11 }),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16({ since: 7 }),
    sessionId: int32({ since: 7 }),
    responses: array({
      topic: string({ until: 12 }),
      topicId: uuid({ since: 13 }),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16(),
        highWatermark: int64({ fallback: -1 }),
        lastStableOffset: int64({ since: 4, fallback: -1 }),
        logStartOffset: int64({ since: 5, fallback: -1 }),
        abortedTransactions: nullableArray({ producerId: int64(), firstOffset: int64() }, { since: 4 }),
        preferredReadReplica: int32({ since: 11, fallback: -1 }),
        records: records(),
      }),
    }),
  },
});
