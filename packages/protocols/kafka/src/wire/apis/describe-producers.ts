import { defineApi } from '../api.js';
import { array, int16, int32, int64, listOf, nullableString, string } from '../fields.js';

/**
 * DescribeProducers: the idempotent producers of partitions.
 *
 * Kafka protocol guide: DescribeProducers, key 61; KIP-664.
 */
export const describeProducers = defineApi({
  key: 61,
  name: 'DescribeProducers',
  min: 0,
  max: 0,
  flexible: 0,
  request: { topics: array({ name: string(), partitionIndexes: listOf(int32()) }) },
  response: {
    throttleTimeMs: int32(),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: nullableString(),
        activeProducers: array({
          producerId: int64(),
          producerEpoch: int32(),
          lastSequence: int32({ fallback: -1 }),
          lastTimestamp: int64({ fallback: -1 }),
          coordinatorEpoch: int32(),
          currentTxnStartOffset: int64({ fallback: -1 }),
        }),
      }),
    }),
  },
});
