import { defineApi } from '../api.js';
import { array, int16, int32, int64, listOf, string } from '../fields.js';

/**
 * DescribeTransactions: what is under way of transactional ids.
 *
 * Kafka protocol guide: DescribeTransactions, key 65; KIP-664.
 */
export const describeTransactions = defineApi({
  key: 65,
  name: 'DescribeTransactions',
  min: 0,
  max: 0,
  flexible: 0,
  request: { transactionalIds: listOf(string()) },
  response: {
    throttleTimeMs: int32(),
    transactionStates: array({
      errorCode: int16(),
      transactionalId: string(),
      transactionState: string(),
      transactionTimeoutMs: int32(),
      transactionStartTimeMs: int64({ fallback: -1 }),
      producerId: int64({ fallback: -1 }),
      producerEpoch: int16({ fallback: -1 }),
      topics: array({ topic: string(), partitions: listOf(int32()) }),
    }),
  },
});
