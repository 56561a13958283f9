import { defineApi } from '../api.js';
import { array, bool, int16, int32, listOf, nullableArray, nullableString, string } from '../fields.js';

/**
 * CreatePartitions: more partitions for a topic.
 *
 * Kafka protocol guide: CreatePartitions, key 37; KIP-195.
 */
export const createPartitions = defineApi({
  key: 37,
  name: 'CreatePartitions',
  min: 0,
  max: 3,
  flexible: 2,
  request: {
    topics: array({
      name: string(),
      count: int32(),
      assignments: nullableArray({ brokerIds: listOf(int32()) }),
    }),
    timeoutMs: int32(),
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    results: array({ name: string(), errorCode: int16(), errorMessage: nullableString() }),
  },
});
