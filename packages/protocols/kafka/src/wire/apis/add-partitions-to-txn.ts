import { defineApi } from '../api.js';
import { array, int16, int32, int64, listOf, string } from '../fields.js';

/**
 * AddPartitionsToTxn: partitions become a part of the transaction.
 *
 * Kafka protocol guide: AddPartitionsToTxn, key 24; KIP-98.
 */
export const addPartitionsToTxn = defineApi({
  key: 24,
  name: 'AddPartitionsToTxn',
  min: 0,
  max: 3,
  flexible: 3,
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    topics: array({ name: string(), partitions: listOf(int32()) }),
  },
  response: {
    throttleTimeMs: int32(),
    results: array({
      name: string(),
      resultsByPartition: array({ partitionIndex: int32(), partitionErrorCode: int16() }),
    }),
  },
});
