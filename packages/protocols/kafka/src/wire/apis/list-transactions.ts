import { defineApi } from '../api.js';
import { array, int16, int32, int64, listOf, string } from '../fields.js';

/**
 * ListTransactions: the transactional ids with their states.
 *
 * Kafka protocol guide: ListTransactions, key 66; KIP-664, for the duration KIP-994.
 */
export const listTransactions = defineApi({
  key: 66,
  name: 'ListTransactions',
  min: 0,
  max: 1,
  flexible: 0,
  request: {
    stateFilters: listOf(string()),
    producerIdFilters: listOf(int64()),
    durationFilter: int64({ since: 1, fallback: -1 }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    unknownStateFilters: listOf(string()),
    transactionStates: array({
      transactionalId: string(),
      producerId: int64(),
      transactionState: string(),
    }),
  },
});
